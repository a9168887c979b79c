package io.redelay.queue.topic;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.Backoff;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.event.TopicGroupEvent;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TopicScript;
import io.redelay.queue.script.TopicScripts;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.options.KeysScanOptions;
import org.redisson.client.codec.StringCodec;

import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of listeners to topics, with several instances.
 */
class TopicListenerIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String topic = "t-" + UUID.randomUUID();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupGetsEachMessageOnceAndEachInstanceWithoutAGroupGetsItToo() {
		Consumers one = new Consumers();
		Consumers two = new Consumers();
		try (ListenerApplication first = start(one); ListenerApplication second = start(two)) {
			for (int i = 0; i < 20; i++) {
				((i % 2 == 0) ? first : second).queues().publish(this.topic, "m" + i);
			}
			Awaitility.await().until(() -> one.own.size() == 20 && two.own.size() == 20);
			Awaitility.await().until(() -> one.billing.size() + two.billing.size() == 20);
			assertThat(Set.copyOf(one.own)).hasSize(20).isEqualTo(Set.copyOf(two.own));
			assertThat(one.billing).doesNotContainAnyElementsOf(two.billing);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachGroupHasItsRetriesAndItsDeadLetters() {
		Failing failing = new Failing();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("topic", this.topic)
			.bean(failing)
			.start()) {
			String id = application.queues().publish(this.topic, "bad").id();
			Awaitility.await().until(() -> failing.good.size() == 1 && failing.bad.size() == 2);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await().until(() -> admin.queues().info(this.topic + "@bad").dead() == 1);
			assertThat(admin.queues().info(this.topic + "@good").dead()).isZero();
			admin.deadLetters().redrive(this.topic + "@bad", id);
			Awaitility.await().until(() -> failing.bad.size() > 2);
			assertThat(failing.good).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupWithANameGoesOnCollectingAndThatOfAnInstanceEndsWithIt() {
		Consumers consumers = new Consumers();
		try (ListenerApplication publisher = ListenerApplication.on(redis).start()) {
			ListenerApplication application = start(consumers);
			assertThat(groups(publisher)).hasSize(2);
			application.close();
			assertThat(groups(publisher)).extracting(TopicScript.StoredGroup::name).containsExactly("billing");
			assertThat(publisher.queues().publish(this.topic, "meanwhile").groups()).containsOnlyKeys("billing");
			try (ListenerApplication again = start(consumers)) {
				assertThat(again.bean(QueueAdmin.class).queues().names()).contains(this.topic + "@billing");
				Awaitility.await().until(() -> consumers.billing.contains("meanwhile"));
				assertThat(consumers.own).isEmpty();
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupWithoutAConsumerExpiresAndThatIsReported() {
		Events events = new Events();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.topics." + this.topic + ".instance-group-expiry", "1s")
			.bean(events)
			.start()) {
			// That of an instance that crashed.
			topics(application).subscribe()
				.run(this.topic, "_lost", Duration.ofMillis(300), DeclaredFilter.NONE)
				.join();
			topics(application).subscribe().run(this.topic, "kept", Duration.ZERO, DeclaredFilter.NONE).join();
			Awaitility.await()
				.until(() -> application.queues().publish(this.topic, "tick").groups().keySet().equals(Set.of("kept")));
			Awaitility.await().until(() -> !events.reported.isEmpty());
			TopicGroupEvent event = events.reported.get(0);
			assertThat(event.topic()).isEqualTo(this.topic);
			assertThat(event.group()).isEqualTo("_lost");
			assertThat(event.type()).isEqualTo(TopicGroupEvent.Type.EXPIRED);
			assertThat(event.messages()).isPositive();
			assertThat(redis.client()
				.getKeys()
				.getKeys(KeysScanOptions.defaults().pattern("redelay:{" + this.topic + "}@_lost:*")))
				.allMatch((key) -> key.endsWith(":past"));
			assertThat(application.bean(QueueAdmin.class).queues().names()).doesNotContain(this.topic + "@_lost");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupThatIsConsumedFromDoesNotExpireAndOneThatWasRemovedComesBackAndIsReported() {
		Consumers consumers = new Consumers();
		Events events = new Events();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("topic", this.topic)
			.with("redelay.queue.topics." + this.topic + ".instance-group-expiry", "1s")
			.with("redelay.queue.topics." + this.topic + ".group-expiry", "1s")
			.bean(consumers)
			.bean(events)
			.start()) {
			TopicScripts topics = topics(application);
			java.time.Instant since = topics.topic().run(this.topic).join().time();
			Awaitility.await()
				.until(() -> topics.topic().run(this.topic).join().time().isAfter(since.plusMillis(1500)));
			assertThat(groups(application)).hasSize(2);
			assertThat(events.reported).isEmpty();
			// As if Redis had gone back in time.
			redis.client().getKeys().delete("redelay:{" + this.topic + "}@:groups");
			Awaitility.await().until(() -> events.reported.size() >= 2);
			assertThat(events.reported).extracting(TopicGroupEvent::type).containsOnly(TopicGroupEvent.Type.MISSED);
			application.queues().publish(this.topic, "again");
			Awaitility.await().until(() -> consumers.own.size() == 1 && consumers.billing.size() == 1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAHandlerSentComesToItsQueueThoughItsGroupEndsBefore() {
		String target = TestRedis.queue();
		Steps steps = new Steps();
		String expiry = "redelay.queue.topics." + this.topic + ".instance-group-expiry";
		try (ListenerApplication other = ListenerApplication.on(redis).with(expiry, "1s").start()) {
			QueueAdmin admin = other.bean(QueueAdmin.class);
			other.queues().send(target, "first");
			admin.control().close(target);
			try (ListenerApplication application = ListenerApplication.on(redis)
				.with("topic", this.topic)
				.with(expiry, "1s")
				.bean(steps)
				.start()) {
				steps.target = target;
				steps.queues = application.queues();
				// As if an instance had died that relayed the outbox.
				String meta = "redelay:{" + this.topic + "}@" + groups(other).get(0).name() + ":meta";
				redis.client()
					.<String, String>getMap(meta, StringCodec.INSTANCE)
					.fastPut("relay", "dead " + QueueState.now(redis).plusSeconds(2).toEpochMilli());
				other.queues().publish(this.topic, "next step");
				Awaitility.await().until(() -> outboxes() == 1);
			}
			// The instance is gone, and with it all that claims from its group.
			admin.control().reopen(target);
			Awaitility.await().until(() -> {
				other.queues().publish(this.topic, "tick");
				return admin.queues().info(target).ready() == 2;
			});
			Awaitility.await()
				.until(() -> other.queues().publish(this.topic, "tick").groups().isEmpty() && outboxes() == 0);
			assertThat(admin.queues().info(target).ready()).isEqualTo(2);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupThatComesBackAtOnceIsNotRemoved() {
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			TopicGroups groups = new TopicGroups(() -> topics(application), Map.of(), Scheduler.unclosed(Runnable::run),
					(event) -> {
					}, (relayed) -> {
					});
			String queue = this.topic + "@_instance";
			groups.join(queue, GroupFilter.NONE).join();
			for (int i = 0; i < 100; i++) {
				CompletableFuture<Void> left = groups.leave(queue);
				groups.join(queue, GroupFilter.NONE).join();
				left.join();
				assertThat(groups(application)).as("round " + i).hasSize(1);
			}
			groups.leave(queue).join();
			assertThat(groups(application)).isEmpty();
		}
	}

	private long outboxes() {
		return redis.client()
			.getKeys()
			.getKeysStream(KeysScanOptions.defaults().pattern("redelay:{" + this.topic + "}@*:outbox"))
			.count();
	}

	private ListenerApplication start(Consumers consumers) {
		return ListenerApplication.on(redis).with("topic", this.topic).bean(consumers).start();
	}

	private List<TopicScript.StoredGroup> groups(ListenerApplication application) {
		return topics(application).topic().run(this.topic).join().groups();
	}

	private static TopicScripts topics(ListenerApplication application) {
		return application.bean(QueueScripts.class).topics();
	}

	static class Consumers {

		final List<String> own = new CopyOnWriteArrayList<>();

		final List<String> billing = new CopyOnWriteArrayList<>();

		@QueueListener(topic = "${topic}")
		void own(String text) {
			this.own.add(text);
		}

		@QueueListener(topic = "${topic}", group = "billing")
		void billing(String text) {
			this.billing.add(text);
		}

	}

	static class Steps {

		volatile @Nullable String target;

		volatile @Nullable QueueOperations queues;

		@QueueListener(topic = "${topic}")
		void step(String text) {
			// One with a key is relayed by the outbox, to any other queue.
			Objects.requireNonNull(this.queues)
				.send(OutboundMessage.to(Objects.requireNonNull(this.target), text).orderingKey("k").inDelivery());
		}

	}

	static class Failing {

		final List<String> good = new CopyOnWriteArrayList<>();

		final List<String> bad = new CopyOnWriteArrayList<>();

		@QueueListener(topic = "${topic}", group = "good")
		void good(String text) {
			this.good.add(text);
		}

		@QueueListener(topic = "${topic}", group = "bad", maxAttempts = "2",
				backoff = @Backoff(initialInterval = "1ms"))
		void bad(String text) {
			this.bad.add(text);
			throw new IllegalStateException("always");
		}

	}

	static class Events {

		final List<TopicGroupEvent> reported = new CopyOnWriteArrayList<>();

		@EventListener
		void reported(TopicGroupEvent event) {
			this.reported.add(event);
		}

	}

}
