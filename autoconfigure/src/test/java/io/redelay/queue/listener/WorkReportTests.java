package io.redelay.queue.listener;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import io.redelay.queue.LogLine;
import io.redelay.queue.MessageProgress;
import io.redelay.queue.store.WorkCodec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link WorkReport} and {@link ReportText}.
 */
class WorkReportTests {

	private static final Instant NOW = Instant.ofEpochMilli(1_700_000_000_123L);

	private final WorkReport report = new WorkReport(new WorkSettings(Duration.ofSeconds(1), 100, 5, 8192));

	@Test
	void nothingIsPendingBeforeAReport() {
		assertNothingPending();
	}

	@ParameterizedTest
	@ValueSource(doubles = { Double.NaN, -0.1, 1.1, Double.POSITIVE_INFINITY })
	void aFractionThatIsNoneIsRefused(double fraction) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.report.progress(fraction, "text", NOW))
			.withMessageContaining("'fraction' must be from 0 to 1: " + fraction);
		assertNothingPending();
	}

	@Test
	void onlyTheLastProgressIsWritten() {
		this.report.progress(0, null, NOW);
		this.report.progress(1, "all of it", NOW);
		Pending pending = pending();
		assertThat(pending.progress()).isEqualTo(new MessageProgress(1, "all of it", NOW));
		pending.written().run();
		assertNothingPending();
	}

	@Test
	void whatIsReportedDuringAWriteIsWrittenByTheNext() {
		this.report.progress(0.1, null, NOW);
		this.report.log("one", NOW);
		Pending pending = pending();
		this.report.progress(0.2, null, NOW);
		this.report.log("two", NOW);
		pending.written().run();
		assertThat(pending().progress()).isEqualTo(new MessageProgress(0.2, null, NOW));
		assertThat(texts(pending())).containsExactly("two");
		assertThat(header(pending())[1]).as("number of the first line").isEqualTo("1");
	}

	@Test
	void whatIsNotWrittenIsPendingAgainWithItsNumbers() {
		this.report.log("one", NOW);
		String[] first = header(pending());
		this.report.log("two", NOW);
		assertThat(texts(pending())).containsExactly("one", "two");
		assertThat(header(pending())[0]).isEqualTo(first[0]);
		assertThat(header(pending())[1]).isEqualTo("0");
	}

	@Test
	void onlyTheLastLinesWaitAndTheNumbersTellOfTheOthers() {
		IntStream.range(0, 1000).forEach((number) -> this.report.log("line " + number, NOW));
		assertThat(texts(pending())).containsExactly("line 995", "line 996", "line 997", "line 998", "line 999");
		assertThat(header(pending())[1]).isEqualTo("995");
	}

	@Test
	void linesAreBoundedBySizeToo() {
		WorkReport many = new WorkReport(new WorkSettings(Duration.ofSeconds(1), 100, 10_000, 8192));
		IntStream.range(0, 100).forEach((number) -> many.log("x".repeat(1000), NOW));
		assertThat(texts(pending(many))).hasSize(8);
	}

	@Test
	void noLinesAreKeptIfNoneAreWanted() {
		WorkReport none = new WorkReport(new WorkSettings(Duration.ofSeconds(1), 100, 0, 8192));
		none.log("one", NOW);
		assertThat(none.pending(new ByteArrayOutputStream())).isNull();
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
		this.report.log("3:abc 12:x", NOW);
		this.report.log("", NOW);
		assertThat(lines(pending())).containsExactly(new LogLine(NOW, "3:abc 12:x"), new LogLine(NOW, ""));
	}

	@Test
	void whatSomebodyElseWroteIsPassedOver() {
		for (String foreign : List.of("", "x", "1 2", "\n", "1 NaN", "1 7", "a b c d\n9:x", "a 1 2 3\n-5:x",
				"a 1 2 3\n99999999999:x", "a 1 2 3\n3:abc")) {
			byte[] stored = foreign.getBytes(StandardCharsets.UTF_8);
			assertThat(WorkCodec.progress(stored)).as(foreign).isNull();
			assertThat(WorkCodec.log(stored).lines()).as(foreign).isEmpty();
		}
	}

	private void assertNothingPending() {
		ByteArrayOutputStream sections = new ByteArrayOutputStream();
		assertThat(this.report.pending(sections)).isNull();
		assertThat(sections.size()).isZero();
	}

	private Pending pending() {
		return pending(this.report);
	}

	private static Pending pending(WorkReport report) {
		ByteArrayOutputStream sections = new ByteArrayOutputStream();
		Runnable written = Objects.requireNonNull(report.pending(sections));
		return new Pending(sections.toByteArray(), written);
	}

	private static List<String> texts(Pending pending) {
		return lines(pending).stream().map(LogLine::text).toList();
	}

	private static List<LogLine> lines(Pending pending) {
		return WorkCodec.log(Objects.requireNonNull(WorkCodec.find(pending.sections(), 'l'))).lines();
	}

	private static String[] header(Pending pending) {
		String text = new String(Objects.requireNonNull(WorkCodec.find(pending.sections(), 'l')),
				StandardCharsets.UTF_8);
		return text.substring(0, text.indexOf('\n')).split(" ");
	}

	/**
	 * What is to be written.
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	private record Pending(byte[] sections, Runnable written) {

		@Nullable MessageProgress progress() {
			byte[] progress = WorkCodec.find(this.sections, 'p');
			return (progress != null) ? WorkCodec.progress(progress) : null;
		}

	}

}
