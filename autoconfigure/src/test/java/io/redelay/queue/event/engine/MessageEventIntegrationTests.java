package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.DeathReason;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.MessageEventBatch;
import io.redelay.queue.event.QueueEvents;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.TestQueue;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for the events of messages.
 */
class MessageEventIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachMoveOfAMessageIsReportedInOrder() {
		Recorder recorder = new Recorder();
		try (ListenerApplication application = start(recorder, new Handler())) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "fails once").id("a\"7").delay(Duration.ofMillis(50)));
			await().untilAsserted(() -> assertThat(recorder.types("a\"7")).containsExactly(MessageEvent.Type.SENT,
					MessageEvent.Type.READY, MessageEvent.Type.DELIVERED, MessageEvent.Type.RETRIED,
					MessageEvent.Type.READY, MessageEvent.Type.DELIVERED, MessageEvent.Type.ACKNOWLEDGED));
		}
		List<MessageEvent> events = recorder.of("a\"7");
		assertThat(events).extracting(MessageEvent::attempt).containsExactly(0, 0, 1, 1, 0, 2, 2);
		assertThat(events.get(0).due()).isAfter(events.get(0).time());
		assertThat(events).isSortedAccordingTo((one, other) -> one.time().compareTo(other.time()));
		assertThat(events.get(3).cause()).contains("IllegalStateException", "fails once");
		assertThat(events).extracting(MessageEvent::queue).containsOnly(this.queue);
		assertThat(events).extracting(MessageEvent::instance).containsOnly("here");
		assertThat(events).extracting(MessageEvent::uid).doesNotContainNull().containsOnly(events.get(0).uid());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theDeadAreReportedWithTheirReasonAndWhatBecomesOfThem() {
		Recorder recorder = new Recorder();
		try (ListenerApplication application = start(recorder, new Handler())) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(OutboundMessage.to(this.queue, "rejected").id("r"));
			await().untilAsserted(() -> assertThat(recorder.types("r")).contains(MessageEvent.Type.DEAD));
			assertThat(recorder.last("r")).extracting(MessageEvent::reason, MessageEvent::cause)
				.containsExactly(DeathReason.REJECTED, RejectMessageException.class.getName() + ": no");
			admin.deadLetters().redrive(this.queue, DeadLetterFilter.all());
			await().untilAsserted(
					() -> assertThat(recorder.types(recorder.last("r").id())).contains(MessageEvent.Type.DEAD));
			await().untilAsserted(() -> assertThat(recorder.all(MessageEvent.Type.DEAD)).hasSize(2));
			assertThat(recorder.all(MessageEvent.Type.REDRIVEN)).hasSize(1);
			admin.control().purge(this.queue, MessageState.DEAD);
			await()
				.untilAsserted(() -> assertThat(recorder.all(MessageEvent.Type.REMOVED)).extracting(MessageEvent::cause)
					.containsExactly("Purged"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAnAdministratorDoesIsReported() {
		Recorder recorder = new Recorder();
		try (ListenerApplication application = ListenerApplication.on(redis).bean(recorder).start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			for (String id : List.of("c", "s", "p")) {
				application.queues().send(OutboundMessage.to(this.queue, "x").id(id).delay(Duration.ofHours(1)));
			}
			assertThat(admin.messages().cancel(this.queue, "c").done()).isTrue();
			assertThat(admin.messages().reschedule(this.queue, "s", Duration.ofHours(2)).done()).isTrue();
			assertThat(admin.messages().cancel(this.queue, "unknown").done()).isFalse();
			assertThat(admin.control().purge(this.queue, MessageState.SCHEDULED)).isEqualTo(2);
			await().untilAsserted(() -> assertThat(recorder.all(MessageEvent.Type.REMOVED)).hasSize(2));
			assertThat(recorder.types("c")).containsExactly(MessageEvent.Type.SENT, MessageEvent.Type.CANCELLED);
			assertThat(recorder.types("s")).containsExactly(MessageEvent.Type.SENT, MessageEvent.Type.RESCHEDULED);
			assertThat(recorder.last("s").due()).isAfter(recorder.last("s").time().plus(Duration.ofMinutes(90)));
			assertThat(recorder.of("unknown")).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatExpiresAndWhatIsReplacedIsReported() {
		Recorder recorder = new Recorder();
		Handler handler = new Handler();
		handler.gate = new CountDownLatch(1);
		try (ListenerApplication application = start(recorder, handler)) {
			application.queues().send(this.queue, "blocks");
			await().untilAsserted(() -> assertThat(handler.handled).contains("blocks"));
			application.queues().send(OutboundMessage.to(this.queue, "d").id("d").timeToLive(Duration.ofMillis(1)));
			application.queues()
				.send(OutboundMessage.to(this.queue, "g").id("g").timeToLive(Duration.ofMillis(1), ExpiryAction.DROP));
			handler.gate.countDown();
			await().untilAsserted(() -> assertThat(recorder.types("d")).contains(MessageEvent.Type.DEAD));
			await().untilAsserted(() -> assertThat(recorder.types("g")).contains(MessageEvent.Type.EXPIRED));
			assertThat(recorder.last("d").reason()).isEqualTo(DeathReason.EXPIRED);
			assertThat(recorder.types("g")).doesNotContain(MessageEvent.Type.ACKNOWLEDGED);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void nothingIsMadeWithoutAListener() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.bean(new Handler())
			.bean("everything", new Everything())
			.start()) {
			ScriptObservers observers = application.bean(ScriptObservers.class);
			assertThat(observers.needMoves()).isFalse();
			List<MessageEvent> reported = new CopyOnWriteArrayList<>();
			QueueEvents.Subscription subscription = application.bean(QueueEvents.class).subscribe(reported::add);
			assertThat(observers.needMoves()).isTrue();
			application.queues().send(this.queue, "x");
			await().untilAsserted(() -> assertThat(reported).extracting(MessageEvent::type)
				.containsExactly(MessageEvent.Type.SENT, MessageEvent.Type.DELIVERED, MessageEvent.Type.ACKNOWLEDGED));
			subscription.close();
			assertThat(observers.needMoves()).isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachGroupOfATopicHasItsOwnEvents() {
		Recorder recorder = new Recorder();
		String topic = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("test.topic", topic)
			.bean(recorder)
			.bean(new Subscribers())
			.start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			await().until(() -> admin.topics().names().stream().anyMatch((each) -> each.equals(topic)));
			application.queues().publish(OutboundMessage.to(topic, "x").id("t"));
			for (String group : List.of("one", "two")) {
				await().untilAsserted(() -> assertThat(recorder.of("t")
					.stream()
					.filter((event) -> event.queue().equals(topic + "@" + group))
					.map(MessageEvent::type)).containsExactlyInAnyOrder(MessageEvent.Type.SENT,
							MessageEvent.Type.DELIVERED, MessageEvent.Type.ACKNOWLEDGED));
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatComesBackFromADeadInstanceIsReported() {
		Recorder recorder = new Recorder();
		try (ListenerApplication other = ListenerApplication.on(redis).start()) {
			TestQueue dead = new TestQueue(this.queue, other.bean(QueueScripts.class));
			dead.sender().send(List.of(dead.message("lost")));
			assertThat(dead.consumer(Duration.ofMillis(50)).claim(1).messages()).hasSize(1);
		}
		Handler handler = new Handler();
		try (ListenerApplication application = start(recorder, handler)) {
			await().untilAsserted(() -> assertThat(handler.handled).hasSize(1));
			await().untilAsserted(() -> assertThat(recorder.events).extracting(MessageEvent::type)
				.containsExactly(MessageEvent.Type.RELEASED, MessageEvent.Type.DELIVERED,
						MessageEvent.Type.ACKNOWLEDGED));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aListenerThatThrowsChangesNothing() {
		Recorder recorder = new Recorder();
		recorder.failure = new LinkageError("on purpose");
		Handler handler = new Handler();
		try (ListenerApplication application = start(recorder, handler)) {
			List<MessageEvent> others = new CopyOnWriteArrayList<>();
			application.bean(QueueEvents.class).subscribe(others::add);
			application.queues().send(OutboundMessage.to(this.queue, "x").id("x"));
			await().untilAsserted(() -> assertThat(handler.handled).contains("x"));
			await().untilAsserted(() -> assertThat(recorder.types("x")).containsExactly(MessageEvent.Type.SENT,
					MessageEvent.Type.DELIVERED, MessageEvent.Type.ACKNOWLEDGED));
			await().untilAsserted(() -> assertThat(others).hasSize(3));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aListenerThatBlocksHoldsNothingUpAndWhatIsDroppedIsCounted() throws Exception {
		Recorder recorder = new Recorder();
		recorder.gate = new CountDownLatch(1);
		Handler handler = new Handler();
		try (ListenerApplication application = application(recorder, handler).with("redelay.events.buffer", 10)
			.start()) {
			for (int i = 0; i < 50; i++) {
				application.queues().send(this.queue, "m" + i);
			}
			await().untilAsserted(() -> assertThat(handler.handled).hasSize(50));
			await().untilAsserted(
					() -> assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).inFlight()).isZero());
			QueueEvents events = application.bean(QueueEvents.class);
			assertThat(events.dropped()).isPositive();
			recorder.gate.countDown();
			await().untilAsserted(() -> assertThat(recorder.events.size() + events.dropped()).isEqualTo(150));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anyInstanceListensToTheFeedOfAll() {
		FeedRecorder feed = new FeedRecorder();
		String prefix = TestRedis.queue();
		try (ListenerApplication writer = application(new Object(), new Handler())
			.with("redelay.events.feed.enabled", true)
			.with("redelay.queue.key-prefix", prefix)
			.start();
				ListenerApplication reader = ListenerApplication.on(redis)
					.with("redelay.queue.key-prefix", prefix)
					.with("redelay.events.feed.poll-interval", "20ms")
					.bean(feed)
					.start()) {
			List<MessageEventBatch> subscribed = new CopyOnWriteArrayList<>();
			writer.bean(QueueEvents.class).subscribeToFeed(subscribed::add);
			await().until(() -> {
				writer.queues().send(this.queue, "until both read");
				return !feed.batches.isEmpty() && !subscribed.isEmpty();
			});
			writer.queues().send(OutboundMessage.to(this.queue, "fails once").id("f"));
			await().untilAsserted(() -> assertThat(feed.of("f")).extracting(MessageEvent::type, MessageEvent::attempt)
				.containsExactly(tuple(MessageEvent.Type.SENT, 0), tuple(MessageEvent.Type.DELIVERED, 1),
						tuple(MessageEvent.Type.RETRIED, 1), tuple(MessageEvent.Type.READY, 0),
						tuple(MessageEvent.Type.DELIVERED, 2), tuple(MessageEvent.Type.ACKNOWLEDGED, 2)));
			assertThat(feed.of("f").get(2).cause()).contains("fails once");
			assertThat(feed.batches).extracting(MessageEventBatch::instance).containsOnly("here");
			assertThat(feed.batches).extracting(MessageEventBatch::missed).containsOnly(0L);
			assertThat(writer.bean(QueueEvents.class).droppedFromFeed()).isZero();
			assertThat(redis.client().getKeys().remainTimeToLive(prefix + ":{events}")).isPositive();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theFeedIsReadFromTheSubscriptionOn() {
		String prefix = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.key-prefix", prefix)
			.with("redelay.events.feed.enabled", true)
			.with("redelay.events.feed.gather", "0ms")
			.with("redelay.events.feed.poll-interval", "3s")
			.start()) {
			for (int i = 0; i < 2; i++) {
				int entries = i + 1;
				application.queues().send(OutboundMessage.to(this.queue, "before").id("before" + i));
				await().until(() -> redis.client().getStream(prefix + ":{events}").size() == 2 * entries - 1);
				FeedRecorder feed = new FeedRecorder();
				QueueEvents.Subscription subscription = application.bean(QueueEvents.class)
					.subscribeToFeed(feed.batches::add);
				application.queues().send(OutboundMessage.to(this.queue, "after").id("after" + i));
				String after = "after" + i;
				await().until(() -> !feed.of(after).isEmpty());
				assertThat(feed.of("before" + i)).isEmpty();
				subscription.close();
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLateReaderOfTheFeedIsNotifiedOfHowMuchIsMissing() throws Exception {
		FeedRecorder feed = new FeedRecorder();
		feed.gate = new CountDownLatch(1);
		String prefix = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.key-prefix", prefix)
			.with("redelay.events.feed.enabled", true)
			.with("redelay.events.feed.gather", "0ms")
			.with("redelay.events.feed.poll-interval", "10ms")
			.with("redelay.events.feed.max-batches", 2)
			.bean(feed)
			.start()) {
			await().until(() -> {
				application.queues().send(this.queue, "until it reads");
				return !feed.batches.isEmpty();
			});
			for (int i = 0; i < 30; i++) {
				application.queues().send(this.queue, "m" + i);
			}
			assertThat(redis.client().getStream(prefix + ":{events}").size()).isLessThanOrEqualTo(2);
			feed.gate.countDown();
			await().untilAsserted(() -> {
				application.queues().send(this.queue, "one more");
				assertThat(feed.batches.stream().mapToLong(MessageEventBatch::missed).sum()).isPositive();
			});
		}
	}

	private ListenerApplication start(Object recorder, Handler handler) {
		return application(recorder, handler).start();
	}

	private ListenerApplication.Builder application(Object recorder, Handler handler) {
		return ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.with("redelay.queue.instance-name", "here")
			.bean("recorder", recorder)
			.bean(handler);
	}

	static class Recorder {

		final List<MessageEvent> events = new CopyOnWriteArrayList<>();

		volatile Error failure;

		volatile CountDownLatch gate;

		@EventListener
		void on(MessageEvent event) throws InterruptedException {
			if (this.gate != null) {
				this.gate.await(1, TimeUnit.MINUTES);
			}
			this.events.add(event);
			if (this.failure != null) {
				throw this.failure;
			}
		}

		List<MessageEvent> of(String id) {
			return this.events.stream().filter((event) -> event.id().equals(id)).toList();
		}

		List<MessageEvent.Type> types(String id) {
			return of(id).stream().map(MessageEvent::type).toList();
		}

		List<MessageEvent> all(MessageEvent.Type type) {
			return this.events.stream().filter((event) -> event.type() == type).toList();
		}

		MessageEvent last(String id) {
			List<MessageEvent> all = of(id);
			return all.get(all.size() - 1);
		}

	}

	static class FeedRecorder {

		final List<MessageEventBatch> batches = new CopyOnWriteArrayList<>();

		volatile CountDownLatch gate;

		@EventListener
		void on(MessageEventBatch batch) throws InterruptedException {
			this.batches.add(batch);
			if (this.gate != null) {
				this.gate.await(1, TimeUnit.MINUTES);
			}
		}

		List<MessageEvent> of(String id) {
			return this.batches.stream()
				.flatMap((batch) -> batch.events().stream())
				.filter((event) -> event.id().equals(id))
				.toList();
		}

	}

	/**
	 * Takes all events that there are, and so wants none.
	 */
	static class Everything {

		@EventListener
		void on(Object event) {
			// as a framework may
		}

	}

	static class Subscribers {

		@QueueListener(topic = "${test.topic}", group = "one")
		void one(String payload) {
		}

		@QueueListener(topic = "${test.topic}", group = "two")
		void two(String payload) {
		}

	}

	static class Handler {

		final List<String> handled = new CopyOnWriteArrayList<>();

		volatile CountDownLatch gate;

		@QueueListener(queues = "${test.queue}", concurrency = "1", prefetch = "0")
		void handle(String payload) throws InterruptedException {
			boolean first = !this.handled.contains(payload);
			this.handled.add(payload);
			if (this.gate != null) {
				this.gate.await(1, TimeUnit.MINUTES);
			}
			if (payload.equals("rejected")) {
				throw new RejectMessageException("no");
			}
			if (payload.equals("fails once") && first) {
				throw new IllegalStateException("fails once");
			}
		}

	}

}
