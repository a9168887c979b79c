package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.LimitsChange;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.event.QueueEvents;
import io.redelay.queue.script.ScriptObservers;
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
 * Integration tests for the events of queues.
 */
class QueueEventIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachChangeIsReportedOnceInEachInstance() {
		Recorder here = new Recorder();
		Recorder there = new Recorder();
		try (ListenerApplication one = feeding().bean(here).start();
				ListenerApplication other = feeding().bean(there).start()) {
			awaitFeed(one, other, there);
			QueueAdmin admin = one.bean(QueueAdmin.class);
			one.queues().send(OutboundMessage.to(this.queue, "x").delay(Duration.ofHours(1)));
			admin.control().pause(this.queue);
			admin.control().pause(this.queue);
			other.bean(QueueAdmin.class).control().pause(this.queue);
			admin.control().resume(this.queue);
			admin.control().resume(this.queue);
			admin.control().close(this.queue);
			admin.control().reopen(this.queue);
			admin.control().purge(this.queue, MessageState.READY);
			admin.control().purge(this.queue, MessageState.SCHEDULED);
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(3));
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(3));
			admin.control().delete(this.queue);
			QueueEvent.Type[] expected = { QueueEvent.Type.PAUSED, QueueEvent.Type.RESUMED, QueueEvent.Type.CLOSED,
					QueueEvent.Type.REOPENED, QueueEvent.Type.DRAINED, QueueEvent.Type.PURGED,
					QueueEvent.Type.LIMITS_CHANGED, QueueEvent.Type.DELETED };
			await().untilAsserted(() -> {
				assertThat(here.types(this.queue)).containsExactly(expected);
				assertThat(there.types(this.queue)).containsExactly(expected);
			});
			assertThat(there.of(this.queue)).extracting(QueueEvent::messages, QueueEvent::detail, QueueEvent::instance)
				.contains(tuple(1L, "SCHEDULED", "one"), tuple(0L, "maxInFlight from what is declared to 3", "one"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueIsDrainedWhenItsLastMessageHasGoneAndNotBefore() {
		Recorder recorder = new Recorder();
		Handler handler = new Handler();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.bean(recorder)
			.bean(handler)
			.start()) {
			application.queues().send(this.queue, "one");
			application.queues().send(this.queue, "two");
			application.queues().send(OutboundMessage.to(this.queue, "later").id("l").delay(Duration.ofHours(1)));
			await().until(() -> handler.handled.size() == 1);
			handler.gate.countDown();
			await().until(() -> handler.handled.size() == 2);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			await().until(() -> admin.queues().info(this.queue).inFlight() == 0);
			assertThat(recorder.types(this.queue)).isEmpty();
			admin.messages().cancel(this.queue, "l");
			await()
				.untilAsserted(() -> assertThat(recorder.types(this.queue)).containsExactly(QueueEvent.Type.DRAINED));
			admin.messages().cancel(this.queue, "l");
			application.queues().send(this.queue, "three");
			await().untilAsserted(() -> assertThat(recorder.types(this.queue)).containsExactly(QueueEvent.Type.DRAINED,
					QueueEvent.Type.DRAINED));
			application.queues().send(this.queue, "dies");
			await().untilAsserted(
					() -> assertThat(recorder.types(this.queue)).hasSize(3).containsOnly(QueueEvent.Type.DRAINED));
			assertThat(recorder.of(this.queue)).isSortedAccordingTo((a, b) -> a.time().compareTo(b.time()));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueWithPartitionsIsDrainedOnceWhenAllAre() {
		Recorder recorder = new Recorder();
		Handler handler = new Handler();
		handler.gate.countDown();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.with("redelay.queue.queues." + this.queue + ".partitions", 3)
			.bean(recorder)
			.bean(handler)
			.start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			for (int i = 0; i < 12; i++) {
				application.queues().send(OutboundMessage.to(this.queue, "x").id("i" + i).delay(Duration.ofHours(1)));
			}
			for (int i = 0; i < 11; i++) {
				admin.messages().cancel(this.queue, "i" + i);
			}
			await().during(Duration.ofMillis(1500)).until(() -> recorder.types(this.queue).isEmpty());
			admin.messages().runNow(this.queue, "i11");
			await()
				.untilAsserted(() -> assertThat(recorder.types(this.queue)).containsExactly(QueueEvent.Type.DRAINED));
			admin.control().pause(this.queue);
			admin.control().deleteWithMessages(this.queue);
			await().untilAsserted(() -> assertThat(recorder.types(this.queue)).containsExactly(QueueEvent.Type.DRAINED,
					QueueEvent.Type.PAUSED, QueueEvent.Type.DELETED));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSubscriptionEndsAndAFailingListenerHoldsUpNoOther() {
		List<QueueEvent> reported = new CopyOnWriteArrayList<>();
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			QueueEvents events = application.bean(QueueEvents.class);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "x");
			admin.control().pause(this.queue); // no listener is there
			QueueEvents.Subscription failing = events.subscribeToQueues((event) -> {
				throw new IllegalStateException("no");
			});
			QueueEvents.Subscription subscription = events.subscribeToQueues(reported::add);
			admin.control().resume(this.queue);
			await().untilAsserted(
					() -> assertThat(reported).extracting(QueueEvent::type).containsExactly(QueueEvent.Type.RESUMED));
			subscription.close();
			failing.close();
			assertThat(application.bean(ScriptObservers.class).needChanges()).isFalse();
			admin.control().pause(this.queue);
			List<QueueEvent> last = new CopyOnWriteArrayList<>();
			events.subscribeToQueues(last::add);
			admin.control().close(this.queue);
			await().until(() -> !last.isEmpty());
			assertThat(reported).hasSize(1);
			assertThat(last).extracting(QueueEvent::type).containsExactly(QueueEvent.Type.CLOSED);
		}
	}

	/**
	 * Who begins to read the feed gets what comes from then on.
	 */
	private void awaitFeed(ListenerApplication one, ListenerApplication other, Recorder there) {
		String probe = TestRedis.queue();
		one.queues().send(probe, "x");
		QueueAdmin admin = one.bean(QueueAdmin.class);
		await().until(() -> {
			admin.control().pause(probe);
			admin.control().resume(probe);
			return !there.of(probe).isEmpty();
		});
		assertThat(other.bean(QueueEvents.class).dropped()).isZero();
	}

	private ListenerApplication.Builder feeding() {
		return ListenerApplication.on(redis)
			.with("redelay.queue.key-prefix", "events-" + this.queue)
			.with("redelay.queue.instance-name", "one")
			.with("redelay.events.feed.enabled", true)
			.with("redelay.events.feed.gather", "0ms")
			.with("redelay.events.feed.poll-interval", "20ms");
	}

	static class Recorder {

		private final List<QueueEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void on(QueueEvent event) {
			this.events.add(event);
		}

		List<QueueEvent> of(String queue) {
			return this.events.stream().filter((event) -> event.queue().equals(queue)).toList();
		}

		List<QueueEvent.Type> types(String queue) {
			return of(queue).stream().map(QueueEvent::type).toList();
		}

	}

	static class Handler {

		final List<String> handled = new CopyOnWriteArrayList<>();

		final CountDownLatch gate = new CountDownLatch(1);

		@QueueListener(queues = "${test.queue}", concurrency = "1", maxAttempts = "1")
		void handle(String payload) throws InterruptedException {
			this.handled.add(payload);
			assertThat(this.gate.await(1, TimeUnit.MINUTES)).isTrue();
			if (payload.equals("dies")) {
				throw new IllegalStateException("no");
			}
		}

	}

}
