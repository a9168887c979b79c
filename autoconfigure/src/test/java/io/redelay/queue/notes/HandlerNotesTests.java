package io.redelay.queue.notes;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageProgress;
import io.redelay.test.VirtualTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link HandlerNotes} and {@link ReportText}.
 */
class HandlerNotesTests {

	private static final Instant NOW = Instant.ofEpochMilli(1_700_000_000_123L);

	private final HandlerNotes notes = notes(5);

	@Test
	void nothingIsPendingBeforeAReport() {
		assertNothingPending();
	}

	@ParameterizedTest
	@ValueSource(doubles = { Double.NaN, -0.1, 1.1, Double.POSITIVE_INFINITY })
	void aFractionThatIsNoneIsRefused(double fraction) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.notes.progress(fraction, "text"))
			.withMessageContaining("'fraction' must be from 0 to 1: " + fraction);
		assertNothingPending();
	}

	@Test
	void onlyTheLastProgressIsWritten() {
		this.notes.progress(0, null);
		this.notes.progress(1, "all of it");
		HandlerNotes.Write pending = pending();
		assertThat(progress(pending)).isEqualTo(new MessageProgress(1, "all of it", NOW));
		this.notes.written(pending);
		assertNothingPending();
	}

	@Test
	void whatIsReportedDuringAWriteIsWrittenByTheNext() {
		this.notes.progress(0.1, null);
		this.notes.log("one");
		HandlerNotes.Write pending = pending();
		this.notes.progress(0.2, null);
		this.notes.log("two");
		this.notes.written(pending);
		assertThat(progress(pending())).isEqualTo(new MessageProgress(0.2, null, NOW));
		assertThat(texts(pending())).containsExactly("two");
		assertThat(header(pending())[1]).as("number of the first line").isEqualTo("1");
	}

	@Test
	void whatIsNotWrittenIsPendingAgainWithItsNumbers() {
		this.notes.log("one");
		String[] first = header(pending());
		this.notes.log("two");
		assertThat(texts(pending())).containsExactly("one", "two");
		assertThat(header(pending())[0]).isEqualTo(first[0]);
		assertThat(header(pending())[1]).isEqualTo("0");
	}

	@Test
	void onlyTheLastLinesWaitAndTheNumbersCountTheOthers() {
		IntStream.range(0, 1000).forEach((number) -> this.notes.log("line " + number));
		assertThat(texts(pending())).containsExactly("line 995", "line 996", "line 997", "line 998", "line 999");
		assertThat(header(pending())[1]).isEqualTo("995");
	}

	@Test
	void linesAreBoundedBySizeToo() {
		HandlerNotes many = notes(10_000);
		IntStream.range(0, 100).forEach((number) -> many.log("x".repeat(1000)));
		assertThat(texts(pending(many))).hasSize(8);
	}

	@Test
	void noLinesAreKeptIfNoneAreWanted() {
		HandlerNotes none = notes(0);
		none.log("one");
		assertThat(none.pending()).isNull();
	}

	@Test
	void hostileTextBecomesOneLineThatCanBeShown() {
		assertThat(ReportText.of("plain text, 漢字 and 😀")).isEqualTo("plain text, 漢字 and 😀");
		assertThat(ReportText.of("a\r\nb\u0000c\u001b[31md\u007f\u0085")).isEqualTo("a  b c [31md  ");
		assertThat(ReportText.of("\ud83d\ud83d\ude00\ude00 \ud83d")).isEqualTo("\ufffd😀\ufffd \ufffd");
		assertThat(ReportText.of("y".repeat(1_000_000))).isEqualTo("y".repeat(1000) + "…");
		assertThat(ReportText.of("y".repeat(999) + "😀")).isEqualTo("y".repeat(999) + "\ufffd…");
		assertThat(ReportText.of("")).isEmpty();
	}

	@Test
	void aLineMayHaveWhatSeparatesLinesInTheStore() {
		this.notes.log("3:abc 12:x");
		this.notes.log("");
		assertThat(lines(pending())).containsExactly(new LogLine(NOW, "3:abc 12:x"), new LogLine(NOW, ""));
	}

	@Test
	void whatAnotherProgramWroteIsPassedOver() {
		for (String foreign : List.of("", "x", "1 2", "\n", "1 NaN", "1 7", "a b c d\n9:x", "a 1 2 3\n-5:x",
				"a 1 2 3\n99999999999:x", "a 1 2 3\n3:abc")) {
			byte[] stored = foreign.getBytes(StandardCharsets.UTF_8);
			assertThat(WorkCodec.progress(stored)).as(foreign).isNull();
			assertThat(WorkCodec.log(stored).lines()).as(foreign).isEmpty();
		}
	}

	private void assertNothingPending() {
		assertThat(this.notes.pending()).isNull();
	}

	private HandlerNotes.Write pending() {
		return pending(this.notes);
	}

	private static HandlerNotes.Write pending(HandlerNotes notes) {
		return Objects.requireNonNull(notes.pending());
	}

	private static HandlerNotes notes(int maxLogLines) {
		WorkSettings settings = new WorkSettings(Duration.ofSeconds(1), 100, maxLogLines, 8192);
		return new HandlerNotes(new Message(), () -> {
		}, new NotesWriter("listener", settings, Duration.ofSeconds(30), (entries) -> new CompletableFuture<>(),
				(sentNanos) -> {
				}, new VirtualTime(), () -> {
				}));
	}

	private static @Nullable MessageProgress progress(HandlerNotes.Write pending) {
		byte[] progress = WorkCodec.find(pending.sections(), 'p');
		return (progress != null) ? WorkCodec.progress(progress) : null;
	}

	private static List<String> texts(HandlerNotes.Write pending) {
		return lines(pending).stream().map(LogLine::text).toList();
	}

	private static List<LogLine> lines(HandlerNotes.Write pending) {
		return WorkCodec.log(Objects.requireNonNull(WorkCodec.find(pending.sections(), 'l'))).lines();
	}

	private static String[] header(HandlerNotes.Write pending) {
		String text = new String(Objects.requireNonNull(WorkCodec.find(pending.sections(), 'l')),
				StandardCharsets.UTF_8);
		return text.substring(0, text.indexOf('\n')).split(" ");
	}

	private static final class Message implements HandlerNotes.Subject {

		@Override
		public String uid() {
			return "one";
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
			return NOW;
		}

		@Override
		public boolean isSettled() {
			return false;
		}

	}

}
