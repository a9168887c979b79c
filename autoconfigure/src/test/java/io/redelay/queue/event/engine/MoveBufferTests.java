package io.redelay.queue.event.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.scheduling.Scheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MoveBuffer} and {@link LocalEvents}, closed and opened again.
 */
class MoveBufferTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final Scheduler clock = Scheduler.unclosed(Runnable::run);

	private final Buffer buffer = new Buffer(this.clock);

	@AfterEach
	void close() {
		this.buffer.slow.complete(null);
		this.buffer.close(LONG);
	}

	@Test
	void aMoveThatCameWhileItWasClosedIsTheOnlyOneThatIsDropped() {
		this.buffer.start();
		this.buffer.close(LONG);
		this.buffer.accept("dropped");
		this.buffer.open();
		this.buffer.start();
		this.buffer.accept("next");
		await().untilAsserted(() -> assertThat(this.buffer.delivered).containsExactly("1 next"));
		assertThat(this.buffer.dropped()).isOne();
	}

	@Test
	void aThreadThatDoesNotEndInTimeDeliversNothingMoreOnceItIsOpenedAgain() throws Exception {
		this.buffer.start();
		this.buffer.accept("slow");
		Thread first = this.buffer.busy.join();
		this.buffer.close(Duration.ofMillis(1));
		this.buffer.open();
		this.buffer.start();
		this.buffer.accept("next");
		assertThat(this.buffer.delivered).isEmpty();
		this.buffer.slow.complete(null);
		await().untilAsserted(() -> assertThat(this.buffer.delivered).containsExactly("0 slow", "1 next"));
		first.join(LONG.toMillis());
		assertThat(first.isAlive()).isFalse();
		assertThat(this.buffer.threads).doesNotHaveDuplicates();
	}

	@Test
	void aListenerThatWasAddedWhileEventsWereClosedGetsEachOnce() {
		MessageTransitions moves = new MessageTransitions(new ScriptObservers(() -> 0));
		LocalEvents events = new LocalEvents(moves,
				new EventSettings(100, false, Duration.ZERO, Duration.ofSeconds(1), "test"),
				new FailedAttemptCodec(JsonMapper.shared()), this.clock);
		Queue<String> ids = new ConcurrentLinkedQueue<>();
		events.close(LONG);
		events.add((MessageEvent event) -> ids.add(event.id()));
		events.open();
		moves.called(new ScriptCall.Removal("orders", "Removed by a test", List.of("a", "b"), Instant.EPOCH, false));
		await().until(() -> ids.contains("b"));
		assertThat(ids).containsExactly("a", "b");
		events.close(LONG);
	}

	private static final class Buffer extends MoveBuffer<String> {

		private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

		private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

		private final CompletableFuture<Thread> busy = new CompletableFuture<>();

		private final CompletableFuture<Void> slow = new CompletableFuture<>();

		Buffer(Scheduler clock) {
			super("redelay-test-events-", 100, 1, Duration.ZERO, "dropped by a test", clock);
		}

		@Override
		void deliver(long first, List<String> moves) {
			if (moves.contains("slow")) {
				this.busy.complete(Thread.currentThread());
				// Waits on when it is interrupted.
				this.slow.join();
				Thread.interrupted();
			}
			this.threads.add(Thread.currentThread());
			this.delivered.add(first + " " + String.join(",", moves));
		}

	}

}
