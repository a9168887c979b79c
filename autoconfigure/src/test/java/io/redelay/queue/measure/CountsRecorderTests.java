package io.redelay.queue.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CountsRecorder}.
 */
class CountsRecorderTests {

	private final VirtualTime time = new VirtualTime();

	private final Writer writer = new Writer();

	private final CountsRecorder recorder = new CountsRecorder(this.writer, this.time);

	@Test
	void onlyWhatHasChangedIsWritten() {
		this.recorder.start();
		this.recorder.sent("q", 3, 0);
		this.recorder.sent("q", 2, 0);
		this.time.advance(Duration.ofSeconds(5));
		assertThat(this.writer.sent()).containsExactly("q 1: 5");
		this.time.advance(Duration.ofSeconds(60));
		assertThat(this.writer.sent()).hasSize(1);
		this.recorder.sent("q", 1, 0);
		this.time.advance(Duration.ofSeconds(5));
		assertThat(this.writer.sent()).containsExactly("q 1: 5", "q 2: 1");
	}

	@Test
	void aRequestThatFailedIsMadeAgainUnchanged() {
		this.recorder.start();
		this.recorder.sent("q", 3, 0);
		this.writer.failing = true;
		this.time.advance(Duration.ofSeconds(5));
		this.recorder.sent("q", 4, 0);
		this.time.advance(Duration.ofSeconds(5));
		this.writer.failing = false;
		this.time.advance(Duration.ofSeconds(5));
		this.time.advance(Duration.ofSeconds(5));
		assertThat(this.writer.sent()).containsExactly("q 1: 3", "q 1: 3", "q 1: 3", "q 2: 4");
		assertThat(this.writer.spans.get(2).get(0).ageMillis()).isEqualTo(10_000);
	}

	@Test
	void whatRedisDoesNotTakeIsKeptForAnHourInSixtySpans() {
		this.recorder.start();
		this.writer.failing = true;
		for (int i = 0; i < 1000; i++) {
			this.recorder.sent("q", 1, 0);
			this.time.advance(Duration.ofSeconds(5));
		}
		this.writer.failing = false;
		this.writer.requests.clear();
		this.writer.spans.clear();
		for (int i = 0; i < 3; i++) {
			this.time.advance(Duration.ofSeconds(5));
		}
		assertThat(this.writer.spans).allSatisfy((spans) -> {
			assertThat(spans).hasSizeLessThanOrEqualTo(61);
			assertThat(spans).allSatisfy((span) -> assertThat(span.ageMillis()).isLessThan(61 * 60_000));
		});
		// Requests that failed for five minutes are dropped, for their number may be
		// forgotten.
		assertThat(this.writer.total()).isPositive().isLessThan(1000);
	}

	@Test
	void anAnswerThatDoesNotComeHoldsUpNothingButTheNextRound() {
		this.recorder.start();
		this.writer.hanging = new CompletableFuture<>();
		this.recorder.sent("q", 1, 0);
		this.time.advance(Duration.ofSeconds(5));
		this.recorder.sent("q", 1, 0);
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.writer.requests).hasSize(1);
		CompletableFuture<Void> hanging = this.writer.hanging;
		this.writer.hanging = null;
		hanging.complete(null);
		this.time.advance(Duration.ofSeconds(5));
		assertThat(this.writer.total()).isEqualTo(2);
	}

	@Test
	void whatIsLeftIsWrittenAtTheEnd() {
		this.recorder.start();
		this.writer.hanging = new CompletableFuture<>();
		this.recorder.sent("q", 1, 0);
		this.time.advance(Duration.ofSeconds(5));
		this.recorder.sent("q", 2, 0);
		CompletableFuture<Void> stopped = this.recorder.stop();
		assertThat(stopped).isNotDone();
		CompletableFuture<Void> hanging = this.writer.hanging;
		this.writer.hanging = null;
		hanging.complete(null);
		assertThat(stopped).isCompleted();
		assertThat(this.writer.total()).isEqualTo(3);
		this.recorder.sent("q", 1, 0);
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.writer.total()).isEqualTo(3);
	}

	@Test
	void manyQueuesAreWrittenLessOftenAndAFewAtATime() {
		this.recorder.start();
		this.writer.hanging = new CompletableFuture<>();
		count(2000);
		this.time.advance(Duration.ofSeconds(5));
		assertThat(this.writer.requests).hasSize(16);
		CompletableFuture<Void> hanging = this.writer.hanging;
		this.writer.hanging = null;
		hanging.complete(null);
		assertThat(this.writer.requests).hasSize(2000);
		count(2000);
		this.time.advance(Duration.ofSeconds(14));
		assertThat(this.writer.requests).hasSize(2000);
		this.time.advance(Duration.ofSeconds(11));
		assertThat(this.writer.requests).hasSize(4000);
	}

	@Test
	void aQueueThatWasForgottenBeginsWithANumberThatWasNeverUsed() {
		this.recorder.start();
		this.recorder.sent("q", 1, 0);
		this.time.advance(Duration.ofHours(1));
		this.recorder.sent("q", 1, 0);
		this.time.advance(Duration.ofSeconds(5));
		assertThat(this.writer.sent()).containsExactly("q 1: 1", "q 2: 1");
	}

	@Test
	void countsThatWaitToBeWrittenAreWithinTheBoundOnQueues() {
		this.recorder.start();
		this.writer.failing = true;
		count("waiting", 15_000);
		this.time.advance(Duration.ofSeconds(5));
		this.writer.failing = false;
		this.writer.requests.clear();
		this.writer.spans.clear();
		count("new", 15_000);
		this.time.advance(Duration.ofMinutes(4));
		assertThat(this.writer.total()).isEqualTo(20_000);
	}

	private void count(int queues) {
		count("q", queues);
	}

	private void count(String prefix, int queues) {
		for (int i = 0; i < queues; i++) {
			this.recorder.sent(prefix + i, 1, 0);
		}
	}

	private static final class Writer implements CountsWriter {

		final List<String> requests = new ArrayList<>();

		final List<List<Span>> spans = new ArrayList<>();

		boolean failing;

		CompletableFuture<Void> hanging;

		@Override
		public CompletableFuture<Void> write(String queue, long request, List<Span> spans) {
			this.requests.add(queue + " " + request);
			this.spans.add(spans);
			if (this.failing) {
				return CompletableFuture.failedFuture(new IllegalStateException("away"));
			}
			return (this.hanging != null) ? this.hanging : CompletableFuture.completedFuture(null);
		}

		private static long sum(List<Span> spans) {
			return spans.stream().mapToLong((span) -> span.counts().sent()).sum();
		}

		List<String> sent() {
			List<String> sent = new ArrayList<>();
			for (int i = 0; i < this.requests.size(); i++) {
				sent.add(this.requests.get(i) + ": " + sum(this.spans.get(i)));
			}
			return sent;
		}

		long total() {
			return this.spans.stream().mapToLong(Writer::sum).sum();
		}

	}

}
