package io.redelay.docs;

// tag::imports[]
import java.nio.file.Path;

import io.redelay.embedded.redis.RedisServer;
// end::imports[]
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the chapter "Embedded Redis" does what the chapter says.
 */
class EmbeddedServersIntegrationTests {

	@Test
	void keepsItsDataThroughAKill(@TempDir Path folder) {
		// tag::server[]
		try (RedisServer server = RedisServer.builder()
			.appendOnly(folder) // each write is on the disk before it is answered
			.config("maxmemory 5mb") // any lines of a redis.conf
			.start()) {
			server.command("SET", "name", "value");
			server.kill(); // as a crash would; stop() ends it in good order
			server.restart(); // same port, same data
			server.pause(); // connections stay open, nothing is answered
			server.resume();
			// end::server[]
			assertThat(server.command("GET", "name")).isEqualTo("value");
			// tag::server[]
		}
		// end::server[]
	}

}
