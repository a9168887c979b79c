package io.redelay.outbox;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.send.QueueTemplate;
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
			AtomicInteger back = new AtomicInteger();
			application.bean(QueueTemplate.class).whenRedisIsBack(back::incrementAndGet);
			redis.stop();
			application.inTransaction(() -> application.outbox().send("orders", "meanwhile"));
			Awaitility.await().until(() -> application.admin().list(0, 10).get(0).nextAttempt() == null);
			assertThat(application.admin().list(0, 10)).singleElement()
				.satisfies((entry) -> assertThat(entry.failure()).isNull());
			assertThat(back).hasValue(0);
			redis.restart();
			Awaitility.await().until(() -> back.get() > 0);
			Awaitility.await().untilAsserted(() -> assertThat(application.received()).contains("meanwhile"));
			Awaitility.await().until(() -> application.admin().count() == 0);
			assertThat(application.received()).doesNotHaveDuplicates();
		}
	}

}
