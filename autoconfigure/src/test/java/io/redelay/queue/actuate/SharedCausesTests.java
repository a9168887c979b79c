package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.queue.DeathReason;
import io.redelay.queue.admin.DeadLetterCauses;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.scheduling.AnswerLimit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SharedCauses}.
 */
class SharedCausesTests {

	private final AtomicLong dead = new AtomicLong(10_000);

	private final AtomicInteger counted = new AtomicInteger();

	private final AtomicLong nanos = new AtomicLong();

	private final SharedCauses causes = new SharedCauses((queue) -> this.dead.get(), this::count, () -> Instant.EPOCH,
			this.nanos::get);

	@Test
	void manyReadersCountOnceAMinute() {
		for (int second = 0; second < 55; second += 5) {
			for (int reader = 0; reader < 3; reader++) {
				this.causes.of("orders");
			}
			pass(5);
		}
		assertThat(this.counted).hasValue(1);
		pass(5);
		this.causes.of("orders");
		assertThat(this.counted).hasValue(2);
	}

	@Test
	void manyThatChangeAreCountedSeldom() {
		for (int second = 0; second < 60; second += 5) {
			this.dead.incrementAndGet();
			this.causes.of("orders");
			pass(5);
		}
		assertThat(this.counted).as("every 20 s").hasValue(3);
	}

	@Test
	void fewThatChangeAreCountedAtOnce() {
		this.dead.set(3);
		this.causes.of("orders");
		this.dead.set(2);
		assertThat(this.causes.of("orders").causes().examined()).isEqualTo(2);
		this.causes.of("orders");
		assertThat(this.counted).hasValue(2);
	}

	@Test
	void manyThatWereRemovedAreCountedAtOnce() {
		this.causes.of("orders");
		this.dead.set(0);
		assertThat(this.causes.of("orders").causes().examined()).isZero();
	}

	@Test
	void oneReaderCountsAndTheOthersGetWhatIsKnown() {
		this.causes.of("orders");
		pass(61);
		CompletableFuture<SharedCauses.Counted> other = new CompletableFuture<>();
		SharedCauses slow = new SharedCauses((queue) -> 1, (queue) -> {
			DeadLetterCauses found = count(queue);
			if (this.counted.get() == 3) {
				other.complete(CompletableFuture.supplyAsync(() -> this.slowed.of("orders")).join());
			}
			return found;
		}, () -> Instant.EPOCH, this.nanos::get);
		this.slowed = slow;
		slow.of("orders");
		pass(61);
		slow.of("orders");
		assertThat(other).isCompleted();
		assertThat(this.counted).hasValue(3);
	}

	@Test
	void whoWaitsForTheFirstCountDoesSoNoLongerThanForAnAnswer() {
		CompletableFuture<Void> counting = new CompletableFuture<>();
		CompletableFuture<Void> answer = new CompletableFuture<>();
		SharedCauses slow = new SharedCauses((queue) -> 1, (queue) -> {
			counting.complete(null);
			answer.join();
			return count(queue);
		}, () -> Instant.EPOCH, this.nanos::get);
		CompletableFuture<Void> first = inAThread(() -> slow.of("orders"));
		counting.join();
		assertThat(inAThread(() -> AnswerLimit.within(Duration.ofMillis(10), () -> slow.of("orders"))))
			.failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(QueueBackendException.class);
		answer.complete(null);
		assertThat(first).succeedsWithin(Duration.ofMinutes(1));
	}

	private static CompletableFuture<Void> inAThread(Runnable task) {
		return CompletableFuture.runAsync(task, (run) -> new Thread(run).start());
	}

	@Test
	void eachQueueIsCountedByItself() {
		this.causes.of("orders");
		this.causes.of("payments");
		assertThat(this.counted).hasValue(2);
		for (int i = 0; i < 100; i++) {
			this.causes.of("queue" + i);
		}
		this.causes.of("orders");
		assertThat(this.counted).as("it was forgotten").hasValue(103);
	}

	private SharedCauses slowed = this.causes;

	private DeadLetterCauses count(String queue) {
		this.counted.incrementAndGet();
		return new DeadLetterCauses(List.of(new DeadLetterCount(DeathReason.REJECTED, null, "no", this.dead.get())),
				this.dead.get(), true);
	}

	private void pass(int seconds) {
		this.nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
	}

}
