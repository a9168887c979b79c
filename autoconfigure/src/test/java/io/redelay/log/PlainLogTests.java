package io.redelay.log;

import java.util.stream.Stream;

import ch.qos.logback.classic.Logger;
import io.redelay.test.CapturedLog;
import org.apache.commons.logging.Log;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PlainLog}.
 */
@ExtendWith(CapturedLog.Extension.class)
class PlainLogTests {

	private static final String FORGED = "one\r\n2026-01-01 INFO all is well\u2028\u202e\u0085\u001b[2J\ud83d";

	private final Log log = PlainLog.of(PlainLogTests.class);

	@ParameterizedTest
	@ValueSource(strings = { "plain", "Grüße, 世界", "a 😀 b", "it's \"quoted\" \\n", "" })
	void plainTextStaysAsItIs(String text) {
		assertThat(PlainText.of(text)).isSameAs(text);
	}

	@Test
	void whatIsNotPlainIsEscaped() {
		assertThat(PlainText.of("a\r\nb\tc\u2028\u2029\u202e\u2066\u200f\u0085\u009b\u001b\u0000\ud83dd"))
			.isEqualTo("a\\r\\nb\\tc\\u2028\\u2029\\u202e\\u2066\\u200f\\u0085\\u009b\\u001b\\u0000\\ud83dd");
	}

	@Test
	void noMessageOfAnyLevelForgesALine(CapturedLog output) {
		Logger logger = (Logger) LoggerFactory.getLogger(PlainLogTests.class);
		logger.setLevel(ch.qos.logback.classic.Level.TRACE);
		try {
			this.log.fatal("fatal " + FORGED);
			this.log.error("error " + FORGED);
			this.log.warn("warn " + FORGED);
			this.log.info("info " + FORGED);
			this.log.debug("debug " + FORGED);
			this.log.trace("trace " + FORGED);
			assertThat(mine(output)).hasSize(6).allSatisfy(PlainLogTests::isOneLine);
		}
		finally {
			logger.setLevel(null);
		}
	}

	@Test
	void noFailureForgesALine(CapturedLog output) {
		IllegalStateException cause = new IllegalStateException("cause " + FORGED);
		IllegalArgumentException failure = new IllegalArgumentException("failure " + FORGED, cause);
		failure.addSuppressed(new IllegalStateException("suppressed " + FORGED));
		cause.addSuppressed(failure);
		this.log.warn("what " + FORGED, failure);
		String entry = mine(output).findFirst().orElseThrow();
		assertThat(entry).contains("java.lang.IllegalArgumentException: failure one\\r\\n2026",
				"java.lang.IllegalStateException: cause one\\r\\n",
				"java.lang.IllegalStateException: suppressed one\\r\\n",
				"at io.redelay.log.PlainLogTests.noFailureForgesALine");
		assertThat(entry.lines()).noneMatch((line) -> line.startsWith("2026"));
		assertThat(entry).doesNotContain("\r", "\u2028", "\u202e", "\u0085", "\u001b");
	}

	@Test
	void aPlainFailureIsLoggedAsItself() {
		IllegalStateException failure = new IllegalStateException("plain", new IllegalStateException("too"));
		assertThat(PlainFailure.of(failure)).isSameAs(failure);
	}

	@Test
	void aFailureWhoseMessageCannotBeReadIsLoggedAsItself() {
		IllegalStateException failure = new IllegalStateException() {

			@Override
			public String getMessage() {
				throw new IllegalStateException("unreadable");
			}

		};
		assertThat(PlainFailure.of(failure)).isSameAs(failure);
	}

	private static Stream<String> mine(CapturedLog output) {
		return output.entriesWith(PlainLogTests.class.getName() + " : ");
	}

	private static void isOneLine(String entry) {
		assertThat(entry).contains("one\\r\\n2026-01-01 INFO all is well\\u2028\\u202e\\u0085\\u001b[2J\\ud83d");
		assertThat(entry.lines()).hasSize(1);
	}

}
