package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.queue.work.ReceivedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.options.KeysScanOptions;
import org.redisson.client.codec.StringCodec;

import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for queues whose names leave when they have nothing. Each test has a
 * prefix of its own, for all queues of the prefix are looked at.
 */
class ForgottenQueuesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String prefix = "forget-" + UUID.randomUUID();

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void allInstancesForgetAQueueThatHasNothingAndPublishThatOnce() {
		Recorder here = new Recorder();
		Recorder there = new Recorder();
		try (ListenerApplication one = application().bean(here).start();
				ListenerApplication other = application().bean(there).start()) {
			one.queues().send("used", "x");
			QueueAdmin admin = other.bean(QueueAdmin.class);
			assertThat(admin.queues().info("used").ready()).isOne();
			receive(one, "used");
			await().atMost(Duration.ofMinutes(1)).until(() -> !names().contains("used"));
			await().untilAsserted(() -> {
				assertThat(here.forgotten).containsExactly("used");
				assertThat(there.forgotten).containsExactly("used");
			});
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThatExceptionOfType(UnknownQueueException.class)
					.isThrownBy(() -> admin.queues().info("used")));
			assertThat(redis.client().getKeys().getKeys(KeysScanOptions.defaults().pattern(this.prefix + ":{used}:*")))
				.isNotNull()
				.allMatch((key) -> key.contains(":sent:"));
			// Its sender has a lane from before.
			one.queues().send("used", "again");
			assertThat(names()).contains("used");
			assertThat(other.bean(QueueAdmin.class).queues().info("used").ready()).isOne();
			await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(20)).until(() -> names().contains("used"));
			assertThat(here.forgotten).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatHasMessagesListenersSettingsOrHistoryStays() {
		try (ListenerApplication application = application().bean(new Idle())
			.with("redelay.queue.queues.kept.forget-after", "0s")
			.with("redelay.queue.queues.completed.completed.max-age", "1h")
			.start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(OutboundMessage.to("scheduled", "x").delay(Duration.ofHours(1)));
			application.queues().send("ready", "x");
			application.queues().send(OutboundMessage.to("dead", "x").id("d"));
			admin.messages().bury("dead", "d", "no");
			application.queues().send("completed", "x");
			List.of("paused", "closed", "kept", "nothing", "recurring").forEach((queue) -> {
				application.queues().send(queue, "x");
				admin.control().purge(queue, MessageState.READY);
			});
			application.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every("recurring", "r", Duration.ofHours(1)).payload("x"));
			admin.control().pause("paused");
			admin.control().close("closed");
			await().atMost(Duration.ofMinutes(1)).until(() -> !names().contains("nothing"));
			assertThat(names()).contains("scheduled", "ready", "dead", "paused", "closed", "kept", "recurring",
					"listened", "completed");
			admin.control().resume("paused");
			await().atMost(Duration.ofMinutes(1)).until(() -> !names().contains("paused"));
			assertThat(names()).contains("closed", "listened");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void allPartitionsAreForgottenTogetherAndNeitherBefore() {
		try (ListenerApplication application = application().with("redelay.queue.queues.wide.partitions", 3).start()) {
			for (int i = 0; i < 30; i++) {
				application.queues().send(OutboundMessage.to("wide", "x").id("i" + i));
			}
			assertThat(names()).contains("wide", "wide~1", "wide~2");
			QueueAdmin admin = application.bean(QueueAdmin.class);
			for (int i = 1; i < 30; i++) {
				admin.messages().cancel("wide", "i" + i);
			}
			application.queues().send("nothing", "x");
			admin.control().purge("nothing", MessageState.READY);
			await().atMost(Duration.ofMinutes(1)).until(() -> !names().contains("nothing"));
			assertThat(names()).contains("wide", "wide~1", "wide~2");
			admin.messages().cancel("wide", "i0");
			await().atMost(Duration.ofMinutes(1)).until(() -> names().isEmpty());
			application.queues().send(OutboundMessage.to("wide", "x").id("i7"));
			assertThat(admin.messages().find("wide", "i7")).isPresent();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aTimeToLiveIsHeededAfterTheNameWasForgotten() {
		try (ListenerApplication application = application().start()) {
			application.queues().send(OutboundMessage.to("short", "x").timeToLive(Duration.ofHours(1)));
			application.bean(QueueAdmin.class).control().purge("short", MessageState.READY);
			await().atMost(Duration.ofMinutes(1)).until(() -> !names().contains("short"));
			assertThat(set("expiring")).doesNotContain("short");
			application.queues().send(OutboundMessage.to("short", "x").timeToLive(Duration.ofHours(1)));
			assertThat(set("expiring")).contains("short");
		}
	}

	@ParameterizedTest
	@CsvSource({ "redelay.queue.forget-after, 500ms, must be 0; for never; or 1s to 3650d",
			"redelay.queue.queues.orders.forget-after, -1s, must be 0; for never; or 1s to 3650d",
			"redelay.queue.queues[orders@billing].forget-after, 1d, must not be set; for a group of a topic" })
	void whatCannotBeIsRefusedAtTheStart(String property, String value, String message) {
		assertThatThrownBy(() -> ListenerApplication.on(redis).with(property, value).start().close())
			.hasStackTraceContaining(message.replace(';', ','));
	}

	private void receive(ListenerApplication application, String queue) {
		List<ReceivedMessage<byte[]>> received = application.bean(QueueReceiver.class)
			.receive(queue, 1, Duration.ofSeconds(20));
		assertThat(received).hasSize(1);
		received.get(0).acknowledge();
	}

	private Set<String> names() {
		return set("queues");
	}

	private Set<String> set(String name) {
		return redis.client().<String>getSet(this.prefix + ":" + name, StringCodec.INSTANCE).readAll();
	}

	private ListenerApplication.Builder application() {
		return ListenerApplication.on(redis)
			.with("redelay.queue.key-prefix", this.prefix)
			.with("redelay.queue.forget-after", "1s")
			.with("redelay.queue.stats.enabled", false)
			.with("redelay.events.feed.enabled", true)
			.with("redelay.events.feed.poll-interval", "20ms")
			.with("redelay.events.feed.gather", "0ms");
	}

	static class Recorder {

		final List<String> forgotten = new CopyOnWriteArrayList<>();

		@EventListener
		void on(QueueEvent event) {
			if (event.type() == QueueEvent.Type.FORGOTTEN) {
				this.forgotten.add(event.queue());
			}
		}

	}

	static class Idle {

		@QueueListener("listened")
		void handle(String payload) {
		}

		@QueueListener("completed")
		void complete(String payload) {
		}

	}

}
