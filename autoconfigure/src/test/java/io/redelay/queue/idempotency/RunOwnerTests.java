package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.work.IdempotencyScope;
import io.redelay.test.IdleStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RunOwner} and its runs: what they ask the store, and when.
 */
class RunOwnerTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final VirtualTime time = new VirtualTime();

	private final Store store = new Store();

	private final RunOwner owner = new RunOwner(this.store.scripts(), "listener", "q", LEASE, Duration.ofHours(1),
			this.time);

	private final AtomicInteger ended = new AtomicInteger();

	@Test
	void whatComesWhileARequestIsOnTheWireGoesTogether() {
		this.owner.run("a").begin();
		this.owner.run("b").begin();
		this.owner.run("c").begin();
		assertThat(this.store.steps()).containsExactly("begin =a");
		this.store.answer(RunOnceScript.Answer.State.MINE);
		assertThat(this.store.steps()).containsExactly("begin =b", "begin =c");
		assertThat(this.store.last().seq()).isEqualTo(2);
		assertThat(this.store.last().owner()).isEqualTo("idle.1");
	}

	@Test
	void aRequestHasABoundedNumberOfSteps() {
		for (int i = 0; i < 500; i++) {
			this.owner.run("k" + i).begin();
		}
		this.store.answer(RunOnceScript.Answer.State.MINE);
		assertThat(this.store.steps()).hasSize(RunOnceScript.Request.MAX_STEPS);
	}

	@Test
	void aSuccessIsRecordedHoweverOftenThatFails() {
		KeyedRun run = begun("a");
		run.end(true, this.ended::incrementAndGet);
		for (int i = 0; i < 5; i++) {
			assertThat(this.store.steps()).containsExactly("done =a");
			this.store.fail(new OutcomeUnknownException("no answer", null));
			this.time.advance(Duration.ofSeconds(1));
		}
		assertThat(this.ended).as("not acknowledged before").hasValue(0);
		this.store.answer(RunOnceScript.Answer.State.OK);
		assertThat(this.ended).hasValue(1);
		assertThat(this.store.requests).isEmpty();
	}

	@Test
	void aKeyThatCannotBeFreedIsFreedLaterAndNoHandlerWaits() {
		KeyedRun run = begun("a");
		run.end(false, this.ended::incrementAndGet);
		this.store.fail(new OutcomeUnknownException("no answer", null));
		assertThat(this.ended).hasValue(1);
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.store.steps()).containsExactly("free =a");
	}

	@Test
	void aBeginOfUnknownOutcomeIsFreedAndOneThatWasRefusedIsNot() {
		KeyedRun unknown = this.owner.run("a");
		CompletableFuture<RunOnceScript.Answer> answer = unknown.begin();
		this.store.fail(new OutcomeUnknownException("no answer", null));
		assertThat(answer).isCompletedExceptionally();
		unknown.end(false, this.ended::incrementAndGet);
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.store.steps()).containsExactly("free =a");
		this.store.answer(RunOnceScript.Answer.State.OK);
		KeyedRun refused = this.owner.run("b");
		refused.begin();
		this.store.fail(new StoreException("refused", null));
		refused.end(false, this.ended::incrementAndGet);
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.store.requests).isEmpty();
		assertThat(this.ended).hasValue(2);
	}

	@Test
	void noCallerWaitsForATimerThatTakesNoTask() {
		this.owner.run("a").begin();
		CompletableFuture<RunOnceScript.Answer> second = this.owner.run("b").begin();
		this.time.close();
		this.store.fail(new OutcomeUnknownException("no answer", null));
		assertThat(second).as("no thread of a handler hangs").isCompletedExceptionally();
	}

	@Test
	void aDuplicateFreesNothing() {
		for (RunOnceScript.Answer.State state : List.of(RunOnceScript.Answer.State.DONE,
				RunOnceScript.Answer.State.RUNNING)) {
			KeyedRun run = this.owner.run("a");
			run.begin();
			this.store.answer(state);
			run.end(false, this.ended::incrementAndGet);
			assertThat(this.store.requests).isEmpty();
		}
		assertThat(this.ended).hasValue(2);
	}

	@Test
	void aRunThatEndsBeforeItsAnswerIsFreedBehindItsBegin() {
		KeyedRun run = this.owner.run("a");
		run.begin();
		run.end(false, this.ended::incrementAndGet);
		this.store.answer(RunOnceScript.Answer.State.MINE);
		assertThat(this.store.steps()).containsExactly("free =a");
		assertThat(run.isValid()).as("may be handled").isFalse();
	}

	@Test
	void aRunThatHasEndedDoesNotBegin() {
		KeyedRun run = this.owner.run("a");
		run.end(false, this.ended::incrementAndGet);
		assertThat(run.begin()).isCompletedExceptionally();
		assertThat(this.store.requests).isEmpty();
		assertThat(this.ended).hasValue(1);
	}

	@Test
	void aRunEndsOnce() {
		KeyedRun run = begun("a");
		run.end(true, this.ended::incrementAndGet);
		run.end(false, this.ended::incrementAndGet);
		assertThat(this.store.steps()).containsExactly("done =a");
		this.store.answer(RunOnceScript.Answer.State.OK);
		assertThat(this.store.requests).isEmpty();
		assertThat(this.ended).hasValue(2);
	}

	@Test
	void theLeaseIsRenewedWhileSomethingRunsAndNoLonger() {
		KeyedRun run = begun("a");
		this.time.advance(LEASE.dividedBy(3));
		assertThat(this.store.last().steps()).isEmpty();
		assertThat(this.store.last().lease()).isEqualTo(LEASE);
		this.store.answer(RunOnceScript.Answer.State.OK);
		this.time.advance(LEASE.dividedBy(3));
		this.store.answer(RunOnceScript.Answer.State.OK);
		assertThat(run.isValid()).isTrue();
		run.end(true, this.ended::incrementAndGet);
		this.store.answer(RunOnceScript.Answer.State.OK);
		this.time.advance(LEASE.multipliedBy(10));
		assertThat(this.store.requests).isEmpty();
		begun("b");
		this.time.advance(LEASE.dividedBy(3));
		assertThat(this.store.requests).as("renewed again").hasSize(1);
	}

	@Test
	void whatRedisHasForgottenBeginsAgainUnderAnotherNameBeforeAnythingElse() {
		begun("goes on");
		KeyedRun succeeded = begun("succeeded");
		begun("failed").end(false, this.ended::incrementAndGet);
		this.store.answer(RunOnceScript.Answer.State.OK);
		this.owner.run("refused").begin();
		this.store.answer(RunOnceScript.Answer.State.RUNNING);
		succeeded.end(true, this.ended::incrementAndGet);
		String former = this.store.last().owner();
		CompletableFuture<RunOnceScript.Answer> asked = this.owner.run("asks").begin();
		this.store.forgot();
		assertThat(this.store.steps()).containsExactly("begin =goes on", "done =succeeded", "begin =asks");
		assertThat(this.store.last().owner()).isNotEqualTo(former);
		assertThat(this.store.last().former()).isEqualTo(former);
		assertThat(this.store.last().seq()).isEqualTo(1);
		assertThat(this.store.last().answered()).isZero();
		this.store.fail(new OutcomeUnknownException("no answer", null));
		assertThat(asked).isCompletedExceptionally();
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.store.steps()).as("until Redis knows").containsExactly("begin =goes on", "done =succeeded");
		assertThat(this.store.last().former()).isEqualTo(former);
		this.store.answer(RunOnceScript.Answer.State.MINE);
		this.owner.run("later").begin();
		assertThat(this.store.last().former()).isNull();
		assertThat(this.store.last().answered()).isEqualTo(2);
		this.store.forgot();
		assertThat(this.store.steps()).containsExactly("begin =goes on", "begin =later");
	}

	@Test
	void anOwnerThatEndsWhileRedisIsBehindBeginsNothingAgain() {
		begun("a");
		CompletableFuture<Void> closed = this.owner.close();
		String former = this.store.last().owner();
		this.store.forgot();
		assertThat(this.store.last().steps()).isEmpty();
		assertThat(this.store.last().lease()).isZero();
		assertThat(this.store.last().former()).isEqualTo(former);
		assertThat(closed).isNotDone();
		this.store.answer(RunOnceScript.Answer.State.OK);
		assertThat(closed).isCompleted();
	}

	@Test
	void redisIsAskedAsSoonAsItMayHaveGoneBackAndNotWhenNothingHasRunForLong() {
		KeyedRun run = begun("a");
		this.store.memory.checkAll();
		assertThat(this.store.last().answered()).isEqualTo(1);
		this.store.answer(RunOnceScript.Answer.State.OK);
		run.end(true, this.ended::incrementAndGet);
		this.store.answer(RunOnceScript.Answer.State.OK);
		this.time.advance(LEASE);
		this.store.memory.checkAll();
		assertThat(this.store.requests).isEmpty();
	}

	@Test
	void aRunIsNotValidWhenItsAnswerTookLongerThanTheLease() {
		KeyedRun run = this.owner.run("a");
		run.begin();
		this.time.advance(LEASE);
		this.store.answer(RunOnceScript.Answer.State.MINE);
		assertThat(run.isValid()).isFalse();
	}

	@Test
	void anOwnerThatEndsFreesWhatRunsAndStillRecordsASuccess() {
		assertThat(this.owner.close()).as("nothing to free").isCompleted();
		assertThat(this.store.requests).isEmpty();
		KeyedRun run = begun("a");
		CompletableFuture<Void> closed = this.owner.close();
		assertThat(this.store.last().lease()).isZero();
		this.store.answer(RunOnceScript.Answer.State.OK);
		assertThat(closed).isCompleted();
		run.end(true, this.ended::incrementAndGet);
		assertThat(this.store.steps()).containsExactly("done =a");
		assertThat(this.store.last().lease()).isZero();
		this.store.answer(RunOnceScript.Answer.State.OK);
		this.time.advance(LEASE);
		assertThat(this.store.requests).isEmpty();
	}

	@Test
	void aTimerWithoutAThreadStopsNothing() {
		KeyedRun run = begun("a");
		this.time.close();
		run.end(true, this.ended::incrementAndGet);
		this.store.fail(new StoreException("refused", null));
		this.owner.run("b").begin();
		assertThat(this.store.steps()).as("with the next step").containsExactly("done =a", "begin =b");
	}

	@Test
	void aLongKeyIsHashedAndNoOtherIsTakenForIt() {
		String longest = "x".repeat(StoredKey.LONGEST);
		assertThat(StoredKey.of(longest)).isEqualTo("=" + longest);
		String hashed = StoredKey.of(longest + "x");
		assertThat(hashed).matches("#[0-9a-f]{64}");
		assertThat(StoredKey.of(hashed)).isEqualTo("=" + hashed);
		assertThat(StoredKey.of("\ud83d")).matches("#[0-9a-f]{64}").isNotEqualTo(StoredKey.of("\ud83e"));
		assertThat(StoredKey.of("\ud83d\ude00")).isEqualTo("=\ud83d\ude00");
	}

	@Test
	void aWindowHasALeastLength() {
		assertThatIllegalArgumentException().isThrownBy(
				() -> new IdempotencySettings((message) -> "k", Duration.ofNanos(999_999), IdempotencyScope.QUEUE));
	}

	private KeyedRun begun(String key) {
		KeyedRun run = this.owner.run(key);
		run.begin();
		this.store.answer(RunOnceScript.Answer.State.MINE);
		return run;
	}

	/**
	 * A store that answers on request.
	 */
	private static final class Store extends IdleStore {

		private final ReplayMemory memory = new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
		});

		private final List<RunOnceScript.Request> requests = new ArrayList<>();

		private final List<CompletableFuture<RunOnceScript.Reply>> answers = new ArrayList<>();

		@Override
		protected ReplayMemory replayMemory() {
			return this.memory;
		}

		@Override
		protected CompletableFuture<RunOnceScript.Reply> runs(String queue, RunOnceScript.Request request) {
			this.requests.add(request);
			this.answers.add(new CompletableFuture<>());
			return this.answers.get(this.answers.size() - 1);
		}

		RunOnceScript.Request last() {
			assertThat(this.requests).as("requests on the wire").hasSize(1);
			return this.requests.get(0);
		}

		List<String> steps() {
			return last().steps().stream().map((step) -> step.action().verb() + " " + step.key()).toList();
		}

		void answer(RunOnceScript.Answer.State state) {
			List<RunOnceScript.Answer> given = last().steps()
				.stream()
				.map((step) -> RunOnceScript.Answer.of(state))
				.toList();
			this.requests.clear();
			this.answers.remove(0).complete(new RunOnceScript.Reply(LaneStatus.OK, given));
		}

		void forgot() {
			last();
			this.requests.clear();
			this.answers.remove(0).complete(new RunOnceScript.Reply(LaneStatus.BEHIND, List.of()));
		}

		void fail(RuntimeException failure) {
			last();
			this.requests.clear();
			this.answers.remove(0).completeExceptionally(failure);
		}

	}

}
