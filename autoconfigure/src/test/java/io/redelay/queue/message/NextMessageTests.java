package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Stream;

import io.redelay.queue.Deduplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link NextMessage}.
 */
class NextMessageTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@ParameterizedTest
	@MethodSource("rules")
	void keepsWhatBecomesOfMessagesWithTheSameKey(Deduplication rule) {
		assertThat(NextMessage.read(note(text(rule))).message().deduplication()).isEqualTo(rule);
	}

	static Stream<Deduplication> rules() {
		return Stream.of(Deduplication.firstWins("key", HOUR), Deduplication.firstWins("key", HOUR).extended(),
				Deduplication.debounce("key", HOUR, HOUR), Deduplication.aggregate("key", HOUR, 9),
				Deduplication.aggregate("key", HOUR, 9, 1000).gracePeriod(Duration.ofMinutes(1)));
	}

	@Test
	void readsWhatAnOlderVersionWroteThatExtendedNoWindow() {
		String text = text(Deduplication.firstWins("key", HOUR));
		String older = text.replace(",\"extend\":false", "");
		assertThat(older).isNotEqualTo(text);
		assertThat(NextMessage.read(note(older)).message().deduplication())
			.isEqualTo(Deduplication.firstWins("key", HOUR));
	}

	@Test
	void refusesANoteThatIsCutOff() {
		OutboxNote note = note(text(Deduplication.firstWins("key", HOUR)).split("\n")[0]);
		assertThatIllegalArgumentException().isThrownBy(() -> NextMessage.read(note));
		assertThatIllegalArgumentException().isThrownBy(() -> NextMessage.queueOf(note));
	}

	private static String text(Deduplication rule) {
		NewMessage message = new NewMessage("uid", null, null, null, "{\"v\":1}".getBytes(StandardCharsets.UTF_8), null,
				rule);
		return new String(new NextMessage("queue", message, null).text(), StandardCharsets.UTF_8);
	}

	private static OutboxNote note(String text) {
		return new OutboxNote("1", NextMessage.KIND, text.getBytes(StandardCharsets.UTF_8));
	}

}
