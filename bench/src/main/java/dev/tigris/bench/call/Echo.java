package dev.tigris.bench.call;

import dev.tigris.message.call.Service;

/// The service: each method returns what it is given.
@Service
interface Echo {
  Ask.Small small(Ask.Small ask);

  Ask.Medium medium(Ask.Medium ask);

  Ask.Large large(Ask.Large ask);
}
