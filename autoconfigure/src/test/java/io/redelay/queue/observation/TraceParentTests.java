package io.redelay.queue.observation;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TraceParent}.
 */
class TraceParentTests {

	private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

	private static final String SPAN = "00f067aa0ba902b7";

	@Test
	void readsWhatItWrites() {
		TraceParent position = new TraceParent(TRACE, SPAN, true);
		assertThat(position).hasToString("00-" + TRACE + "-" + SPAN + "-01");
		assertThat(TraceParent.parse(position.toString())).isEqualTo(position);
		assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-00"))
			.isEqualTo(new TraceParent(TRACE, SPAN, false));
	}

	@Test
	void readsLaterVersions() {
		assertThat(TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-03-what-comes"))
			.isEqualTo(new TraceParent(TRACE, SPAN, true));
	}

	@Test
	void readsTheHeadersOfAMessage() {
		assertThat(TraceParent.of(Map.of("traceparent", "00-" + TRACE + "-" + SPAN + "-01")))
			.isEqualTo(new TraceParent(TRACE, SPAN, true));
		assertThat(TraceParent.of(Map.of("b3", TRACE + "-" + SPAN + "-1-" + SPAN)))
			.isEqualTo(new TraceParent(TRACE, SPAN, true));
		assertThat(TraceParent.of(Map.of("b3", SPAN + "-" + SPAN + "-0")))
			.isEqualTo(new TraceParent("0000000000000000" + SPAN, SPAN, false));
		assertThat(TraceParent.of(Map.of("b3", "0"))).isNull();
		assertThat(TraceParent.of(Map.of("traceparent", 7))).isNull();
		assertThat(TraceParent.of(Map.of())).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
			"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
			"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
			"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
			"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
			"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 <script>" })
	void refusesWhatIsNone(String text) {
		assertThat(TraceParent.parse(text)).isNull();
	}

	@Test
	void refusesWhatIsTooLong() {
		assertThat(TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-01-" + "x".repeat(1_000))).isNull();
	}

}
