package io.redelay.queue.notes;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.QueueException;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.WorkReply;
import io.redelay.queue.script.WorkRequest;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NotesWriter}.
 */
class NotesWriterTests {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final WorkReply OK = new WorkReply(LaneStatus.OK, Instant.EPOCH, Set.of(), Set.of());

	private final VirtualTime time = new VirtualTime();

	private final List<List<WorkRequest.Entry>> requests = new ArrayList<>();

	private final ArrayDeque<CompletableFuture<WorkReply>> answers = new ArrayDeque<>();

	private int checks;

	private final NotesWriter writer = new NotesWriter("listener", new WorkSettings(INTERVAL, 100, 100, 8192),
			Duration.ofSeconds(30), this::request, (sentNanos) -> {
			}, this.time, () -> this.checks++);

	private final Message one = new Message("one", this.writer);

	private final Message two = new Message("two", this.writer);

	@Test
	void notesWithinTheIntervalAreOneRequest() {
		report(this.one, 0.1);
		report(this.two, 0.2);
		report(this.one, 0.3);
		assertThat(this.requests).isEmpty();
		this.time.advance(INTERVAL);
		assertThat(this.requests).hasSize(1);
		assertThat(this.requests.get(0)).extracting(WorkRequest.Entry::uid).containsExactly("one", "two");
		assertThat(fractions(0)).containsExactly(0.3, 0.2);
		answer(OK);
		this.time.advance(INTERVAL.multipliedBy(5));
		assertThat(this.requests).hasSize(1);
	}

	@Test
	void aShortLeaseIsWrittenThreeTimes() {
		NotesWriter hasty = new NotesWriter("listener", new WorkSettings(INTERVAL, 100, 100, 8192),
				Duration.ofMillis(300), this::request, (sentNanos) -> {
				}, this.time, () -> {
				});
		new Message("hasty", hasty).notes.progress(0.1, null);
		this.time.advance(Duration.ofMillis(100));
		assertThat(this.requests).hasSize(1);
	}

	@Test
	void oneRequestIsUnderWayAtATime() {
		report(this.one, 0.1);
		this.time.advance(INTERVAL);
		report(this.one, 0.2);
		CompletableFuture<NotesWriter.Outcome> urgent = this.writer.flush(this.one.notes);
		this.time.advance(INTERVAL.multipliedBy(3));
		assertThat(this.requests).hasSize(1);
		answer(OK);
		assertThat(this.requests).hasSize(2);
		assertThat(fractions(1)).containsExactly(0.2);
		assertThat(this.requests.get(1).get(0).number()).isGreaterThan(this.requests.get(0).get(0).number());
		assertThat(urgent).isNotDone();
		answer(OK);
		assertThat(urgent).isCompletedWithValue(NotesWriter.Outcome.WRITTEN);
	}

	@Test
	void aFlushWaitsForWhatIsUnderWay() {
		report(this.one, 0.1);
		this.time.advance(INTERVAL);
		CompletableFuture<NotesWriter.Outcome> urgent = this.writer.flush(this.one.notes);
		assertThat(urgent).isNotDone();
		answer(OK);
		assertThat(urgent).isCompletedWithValue(NotesWriter.Outcome.WRITTEN);
		assertThat(this.requests).as("nothing was written since").hasSize(1);
	}

	@Test
	void whatRedisDidNotAnswerIsWrittenAgain() {
		report(this.one, 0.1);
		CompletableFuture<NotesWriter.Outcome> once = this.writer.flush(this.one.notes);
		CompletableFuture<?> untilKnown = this.writer.flushToSettle(this.one.notes);
		Objects.requireNonNull(this.answers.poll()).completeExceptionally(new IllegalStateException("no answer"));
		assertThat(once).isCompletedExceptionally();
		assertThat(once.handle((outcome, failure) -> failure).join()).isInstanceOf(QueueException.class)
			.hasMessageContaining("one");
		assertThat(untilKnown).isNotDone();
		this.time.advance(INTERVAL);
		assertThat(fractions(1)).containsExactly(0.1);
		answer(OK);
		assertThat(untilKnown).isCompleted();
	}

	@Test
	void aRequestThatCannotBeSentIsSentAgain() {
		report(this.one, 0.1);
		this.answers.add(CompletableFuture.failedFuture(new UnsupportedOperationException()));
		this.time.advance(INTERVAL);
		this.time.advance(INTERVAL);
		assertThat(this.requests).hasSize(2);
	}

	@Test
	void whatAFullRedisRefusesIsWrittenAgainAndHoldsNoSettlementUp() {
		report(this.one, 0.1);
		CompletableFuture<NotesWriter.Outcome> once = this.writer.flush(this.one.notes);
		CompletableFuture<?> settlement = this.writer.flushToSettle(this.one.notes);
		answer(new WorkReply(LaneStatus.OK, Instant.EPOCH, Set.of(), Set.of("one")));
		assertThat(once).isCompletedWithValue(NotesWriter.Outcome.FULL);
		if (!settlement.isDone()) {
			answer(new WorkReply(LaneStatus.OK, Instant.EPOCH, Set.of(), Set.of("one")));
		}
		assertThat(settlement).isCompleted();
		int before = this.requests.size();
		this.time.advance(INTERVAL);
		assertThat(this.requests).hasSize(before + 1);
	}

	@Test
	void ofALostMessageNothingIsWrittenAnyMore() {
		report(this.one, 0.1);
		CompletableFuture<NotesWriter.Outcome> urgent = this.writer.flush(this.one.notes);
		answer(new WorkReply(LaneStatus.OK, Instant.EPOCH, Set.of("one"), Set.of()));
		assertThat(urgent).isCompletedWithValue(NotesWriter.Outcome.LOST);
		assertThat(this.one.lost).isEqualTo(1);
		assertThat(this.one.notes.isLost()).isTrue();
		this.writer.changed(this.one.notes);
		this.time.advance(INTERVAL);
		assertThat(this.requests).hasSize(1);
	}

	@Test
	void aSettledMessageIsNotLost() {
		report(this.one, 0.1);
		this.time.advance(INTERVAL);
		this.one.settled = true;
		answer(new WorkReply(LaneStatus.OK, Instant.EPOCH, Set.of("one"), Set.of()));
		assertThat(this.one.lost).isZero();
	}

	@Test
	void whatIsSettledIsNotWrittenUnlessItStays() {
		report(this.one, 0.1);
		report(this.two, 0.2);
		this.one.settled = true;
		this.two.settled = true;
		CompletableFuture<?> stays = this.writer.flushToSettle(this.two.notes);
		assertThat(this.requests.get(0)).extracting(WorkRequest.Entry::uid).containsExactly("two");
		answer(OK);
		assertThat(stays).isCompleted();
	}

	@Test
	void aLaneThatIsUnknownIsLookedAfterAndTheRestIsWrittenOnTheNextOne() {
		report(this.one, 0.1);
		CompletableFuture<NotesWriter.Outcome> urgent = this.writer.flush(this.one.notes);
		answer(new WorkReply(LaneStatus.BEHIND, Instant.EPOCH, Set.of(), Set.of()));
		assertThat(this.checks).isEqualTo(1);
		assertThat(urgent).isNotDone();
		assertThat(this.requests).hasSize(1);
		this.writer.resumed();
		assertThat(this.requests).hasSize(2);
		answer(OK);
		assertThat(urgent).isCompletedWithValue(NotesWriter.Outcome.WRITTEN);
	}

	@Test
	void noCallerWaitsForEverForALaneThatStaysUnknown() {
		report(this.one, 0.1);
		CompletableFuture<?> settlement = this.writer.flushToSettle(this.one.notes);
		for (int i = 0; i < 10; i++) {
			assertThat(settlement).isNotDone();
			answer(new WorkReply(LaneStatus.GONE, Instant.EPOCH, Set.of(), Set.of()));
			this.time.advance(INTERVAL);
		}
		assertThat(settlement).isCompleted();
	}

	@Test
	void aCallerThatWaitsAtTheEndIsNotified() {
		report(this.one, 0.1);
		report(this.two, 0.2);
		CompletableFuture<NotesWriter.Outcome> underWay = this.writer.flush(this.one.notes);
		CompletableFuture<NotesWriter.Outcome> waits = this.writer.flush(this.two.notes);
		this.writer.close();
		assertThat(waits).isCompletedWithValue(NotesWriter.Outcome.LOST);
		answer(new WorkReply(LaneStatus.GONE, Instant.EPOCH, Set.of(), Set.of()));
		assertThat(underWay).isCompletedWithValue(NotesWriter.Outcome.LOST);
		assertThat(this.writer.flush(this.one.notes)).isCompletedWithValue(NotesWriter.Outcome.LOST);
		this.time.advance(INTERVAL.multipliedBy(3));
		assertThat(this.requests).hasSize(1);
	}

	@Test
	void allIsWrittenAtOnceWhenMessagesAreHandedBack() {
		report(this.one, 0.1);
		report(this.two, 0.2);
		CompletableFuture<Void> tried = this.writer.flush();
		while (!this.answers.isEmpty()) {
			answer(OK);
		}
		assertThat(tried).isCompleted();
		assertThat(this.requests.stream().flatMap(List::stream)).extracting(WorkRequest.Entry::uid)
			.containsExactlyInAnyOrder("one", "two");
	}

	@Test
	void messagesAreHandedBackAfterWhatIsUnderWay() {
		report(this.one, 0.1);
		this.time.advance(INTERVAL);
		CompletableFuture<Void> tried = this.writer.flush();
		assertThat(tried).isNotDone();
		answer(OK);
		assertThat(tried).isCompleted();
		assertThat(this.requests).as("nothing was written since").hasSize(1);
	}

	@Test
	void aCallbackOfAWriteCanHaveMoreWrittenBeforeItReturns() {
		report(this.one, 0.1);
		List<Integer> requestsThen = new ArrayList<>();
		this.writer.flush(this.one.notes).thenRun(() -> {
			report(this.two, 0.2);
			this.writer.flush(this.two.notes);
			requestsThen.add(this.requests.size());
		});
		answer(OK);
		assertThat(requestsThen).containsExactly(2);
	}

	@Test
	void aWaitForMoreOfALostMessageEnds() {
		report(this.one, 0.1);
		this.writer.flush(this.one.notes);
		report(this.one, 0.2);
		CompletableFuture<NotesWriter.Outcome> later = this.writer.flush(this.one.notes);
		answer(new WorkReply(LaneStatus.OK, Instant.EPOCH, Set.of("one"), Set.of()));
		assertThat(later).isCompletedWithValue(NotesWriter.Outcome.LOST);
		assertThat(this.requests).hasSize(1);
	}

	@Test
	void aRequestHasItsBounds() {
		List<Message> messages = new ArrayList<>();
		for (int i = 0; i < WorkRequest.MAX_ENTRIES + 1; i++) {
			messages.add(new Message("m" + i, this.writer));
			report(messages.get(i), 0.1);
		}
		this.time.advance(INTERVAL);
		assertThat(this.requests.get(0)).hasSize(WorkRequest.MAX_ENTRIES);
		answer(OK);
		this.time.advance(INTERVAL);
		assertThat(this.requests.get(1)).hasSize(1);
	}

	private void report(Message message, double fraction) {
		message.notes.progress(fraction, null);
	}

	private CompletableFuture<WorkReply> request(List<WorkRequest.Entry> entries) {
		this.requests.add(entries);
		CompletableFuture<WorkReply> failed = this.answers.peek();
		if (failed != null && failed.isCompletedExceptionally()) {
			return this.answers.remove();
		}
		CompletableFuture<WorkReply> answer = new CompletableFuture<>();
		this.answers.add(answer);
		return answer;
	}

	private void answer(WorkReply reply) {
		Objects.requireNonNull(this.answers.poll()).complete(reply);
	}

	private List<Double> fractions(int request) {
		return this.requests.get(request)
			.stream()
			.map((entry) -> Objects
				.requireNonNull(WorkCodec.progress(Objects.requireNonNull(WorkCodec.find(entry.sections(), 'p'))))
				.fraction())
			.toList();
	}

	/**
	 * A message of a lane.
	 */
	private static final class Message implements HandlerNotes.Subject {

		private final String uid;

		private final HandlerNotes notes;

		private boolean settled;

		private int lost;

		Message(String uid, NotesWriter writer) {
			this.uid = uid;
			this.notes = new HandlerNotes(this, () -> this.lost++, writer);
		}

		@Override
		public String uid() {
			return this.uid;
		}

		@Override
		public long claimNumber() {
			return 1;
		}

		@Override
		public String queue() {
			return "queue";
		}

		@Override
		public Instant storeTime() {
			return Instant.EPOCH;
		}

		@Override
		public boolean isSettled() {
			return this.settled;
		}

		@Override
		public String toString() {
			return this.uid;
		}

	}

}
