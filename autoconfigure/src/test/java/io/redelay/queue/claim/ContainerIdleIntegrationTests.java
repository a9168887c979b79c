package io.redelay.queue.claim;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.QueueListener;
import io.redelay.queue.event.ListenerContainerIdleEvent;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for listeners that are idle.
 */
class ContainerIdleIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aListenerIsReportedToBeIdleOnceUntilItIsGivenAMessage() {
		Recorder recorder = new Recorder();
		try (ListenerApplication application = application("300ms", recorder).start()) {
			await().until(() -> recorder.events.size() == 1);
			ListenerContainerIdleEvent event = recorder.events.get(0);
			assertThat(event.listener()).isEqualTo("idle");
			assertThat(event.queues()).containsExactly(this.queue);
			assertThat(event.idle()).isGreaterThanOrEqualTo(Duration.ofMillis(300));
			assertThat(event.paused()).isFalse();
			await().during(Duration.ofSeconds(1)).until(() -> recorder.events.size() == 1);
			application.queues().send(this.queue, "x");
			await().until(() -> recorder.events.size() == 2);
			assertThat(recorder.handled).isEqualTo(1);
			application.container().pause();
			application.container().stop(Duration.ofSeconds(5)).join();
			await().during(Duration.ofSeconds(1)).until(() -> recorder.events.size() == 2);
			application.container().start();
			await().until(() -> recorder.events.size() == 3);
			assertThat(recorder.events.get(2).paused()).isTrue();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneThatHandlesForLongIsNotIdle() {
		Recorder recorder = new Recorder();
		recorder.takes = Duration.ofSeconds(3);
		try (ListenerApplication application = application("1500ms", recorder).start()) {
			application.queues().send(this.queue, "x");
			await().until(() -> recorder.handled == 1);
			assertThat(recorder.eventsMeanwhile).isZero();
			int before = recorder.events.size();
			await().until(() -> recorder.events.size() > before);
		}
	}

	@Test
	void aTimeThatIsTooShortIsRefused() {
		assertThatThrownBy(() -> application("99ms", new Recorder()).start().close())
			.hasStackTraceContaining("'redelay.events.listener-idle-after' must be at least 100ms");
	}

	private ListenerApplication.Builder application(String idleAfter, Recorder recorder) {
		return ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.with("redelay.events.listener-idle-after", idleAfter)
			.bean(recorder);
	}

	static class Recorder {

		final List<ListenerContainerIdleEvent> events = new CopyOnWriteArrayList<>();

		Duration takes = Duration.ZERO;

		volatile int eventsMeanwhile;

		volatile int handled;

		@EventListener
		void on(ListenerContainerIdleEvent event) {
			this.events.add(event);
		}

		@QueueListener(queues = "${test.queue}", id = "idle")
		void handle(String payload) {
			int before = this.events.size();
			await().atMost(Duration.ofMinutes(1)).pollDelay(this.takes).until(() -> true);
			this.eventsMeanwhile = this.events.size() - before;
			this.handled++;
		}

	}

}
