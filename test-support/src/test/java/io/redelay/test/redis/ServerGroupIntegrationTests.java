package io.redelay.test.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ServerGroup} and {@link ServerGroupBuilder} with real processes.
 */
class ServerGroupIntegrationTests {

	@Test
	void closesTheServersThatStartedWhenTheGroupDoesNotGetReady() {
		UnreadyBuilder builder = new UnreadyBuilder();
		assertThatIllegalStateException().isThrownBy(builder::start).withMessage("not ready");
		assertThat(builder.started).hasSize(2).noneMatch(RedisServer::isRunning);
	}

	@Test
	void saysWhatItWaitedForInVain() {
		try (ServerGroup group = new ServerGroup(Duration.ofMillis(1))) {
			assertThatIllegalStateException().isThrownBy(() -> group.await("a server follows", () -> false))
				.withMessageStartingWith("Gave up after PT0.001S waiting until a server follows");
		}
	}

	private static final class UnreadyBuilder extends ServerGroupBuilder<UnreadyBuilder, ServerGroup> {

		final List<RedisServer> started = new ArrayList<>();

		@Override
		ServerGroup start(ServerGroup group) {
			this.started.add(group.start(dataServer()));
			this.started.add(group.start(dataServer()));
			assertThat(this.started).allMatch(RedisServer::isRunning);
			throw new IllegalStateException("not ready");
		}

		@Override
		UnreadyBuilder self() {
			return this;
		}

	}

}
