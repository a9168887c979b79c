package io.redelay.embedded.redis;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FreePort}.
 */
class FreePortIntegrationTests {

	@Test
	void keepsThePortOfAServerThatIsDown() {
		int number;
		try (RedisServer server = RedisServer.start()) {
			number = server.port();
			server.kill();
			assertThat(FreePort.tryReserve(number)).isNull();
			server.restart();
			assertThat(server.command("PING")).isEqualTo("PONG");
		}
		assertThat(FreePort.tryReserve(number)).isNotNull().satisfies(FreePort::close);
	}

	@Test
	void doesNotGiveAPortOnWhichSomethingListens() {
		try (FreePort free = FreePort.reserve();
				RedisServer server = RedisServer.builder().port(free.number()).start()) {
			free.close();
			assertThat(FreePort.tryReserve(server.port())).isNull();
		}
	}

}
