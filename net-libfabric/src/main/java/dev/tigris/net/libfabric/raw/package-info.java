/// libfabric's C interface. The only package that calls into it.
///
/// Most functions of libfabric are inline functions that call through tables which a provider fills
/// in, so that a library has few symbols: [Layout] says where the pointers lie, [Functions] calls
/// them. Each object of the library is a class here, which belongs to one thread and is closed
/// once, after what was opened with it.
@NullMarked
package dev.tigris.net.libfabric.raw;

import org.jspecify.annotations.NullMarked;
