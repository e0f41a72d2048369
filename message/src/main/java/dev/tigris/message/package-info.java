/// Active messages (Chang, *Safe and Explicit Memory Management*, 1999, section 3.4): a message
/// names a handler, which runs where the message arrives, when its program polls.
///
/// A [Bundle] belongs to a thread and services its [Endpoint]s. An endpoint has a name, a tag, a
/// table of [Handler]s and a table of peers. Requests go to a peer, and a handler may reply once
/// through its [Token].
///
/// ```java
/// try (Bundle bundle = Bundle.open(Options.DEFAULT, "tcp")) {
///   Endpoint server = bundle.endpoint("sums", TAG);
///   server.handler(1, (token, message) -> token.reply(1, message.word(0) + message.word(1)));
///   System.out.println(bundle.listen("tcp", "127.0.0.1:7400"));
///   while (true) {
///     boolean _ = bundle.await(Duration.ofSeconds(1));
///   }
/// }
/// ```
///
/// Messages are delivered once and in order, over any provider. What cannot be delivered comes back
/// to its sender's [ErrorHandler], once.
@NullMarked
package dev.tigris.message;

import org.jspecify.annotations.NullMarked;
