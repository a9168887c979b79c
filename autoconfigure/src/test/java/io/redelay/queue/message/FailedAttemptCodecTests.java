package io.redelay.queue.message;

import java.time.Instant;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FailedAttemptCodec}.
 */
class FailedAttemptCodecTests {

	private static final Instant AT = Instant.parse("2026-11-20T12:00:00.123Z");

	private final FailedAttemptCodec codec = new FailedAttemptCodec(JsonMapper.shared());

	@Test
	void readsWhatItWrote() {
		FailedAttempt attempt = new FailedAttempt(AT, "web-1:42", "orders.handle", DeathReason.FAILED,
				"java.io.IOException", "no \"disk\"\nleft", "java.io.IOException\n\tat Some.place", 3, 1);
		assertThat(this.codec.read(this.codec.write(attempt))).isEqualTo(attempt);
	}

	@Test
	void writesOneLineWithoutWhatIsMissing() {
		assertThat(this.codec.write(new FailedAttempt(AT, "web-1:42", "orders.handle", null, null, "a\nb", null, 1, 0)))
			.isEqualTo("{\"at\":\"2026-11-20T12:00:00.123Z\",\"instance\":\"web-1:42\",\"listener\":\"orders.handle\","
					+ "\"message\":\"a\\nb\",\"failures\":1,\"crashes\":0}");
	}

	@Test
	void readsWhatAnotherVersionWrote() {
		assertThat(this.codec.read("{\"reason\":\"BORED\",\"failures\":2,\"mood\":{\"bad\":[1]},\"message\":7}"))
			.isEqualTo(new FailedAttempt(Instant.EPOCH, "", "", null, null, null, null, 2, 0));
	}

	@Test
	void whatIsNoAttemptIsNone() {
		assertThat(this.codec.read("")).isNull();
		assertThat(this.codec.read("[1]")).isNull();
		assertThat(this.codec.read("{\"at\":")).isNull();
	}

}
