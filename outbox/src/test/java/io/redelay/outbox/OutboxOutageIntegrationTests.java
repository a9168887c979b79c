package io.redelay.outbox;

import java.util.UUID;

import io.redelay.embedded.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The outbox while Redis is away.
 */
class OutboxOutageIntegrationTests {

	@Test
	void transactionsCommitAndTheirMessagesAreSentWhenRedisIsBack() {
		try (RedisServer redis = RedisServer.start();
				OutboxApplication application = OutboxApplication.builder()
					.with("spring.data.redis.url", redis.uri())
					.with("spring.datasource.url", "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")
					.with("redelay.queue.resend-timeout", "300ms")
					.listeningTo("orders")
					.start()) {
			application.inTransaction(() -> application.outbox().send("orders", "before"));
			Awaitility.await().untilAsserted(() -> assertThat(application.received()).containsExactly("before"));
			redis.stop();
			application.inTransaction(() -> application.outbox().send("orders", "meanwhile"));
			Awaitility.await().until(() -> application.admin().list(0, 10).get(0).nextAttempt() == null);
			assertThat(application.admin().list(0, 10)).singleElement()
				.satisfies((entry) -> assertThat(entry.failure()).isNull());
			redis.restart();
			Awaitility.await().untilAsserted(() -> assertThat(application.received()).contains("meanwhile"));
			Awaitility.await().until(() -> application.admin().count() == 0);
			assertThat(application.received()).doesNotHaveDuplicates();
		}
	}

}
