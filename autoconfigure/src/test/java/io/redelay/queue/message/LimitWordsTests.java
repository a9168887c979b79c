package io.redelay.queue.message;

import java.time.Instant;

import io.redelay.queue.limits.RateLimit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LimitWords}.
 */
class LimitWordsTests {

	@Test
	void whatIsWrittenIsRead() {
		StoredLimits limits = new StoredLimits(
				new ClaimLimits(RateLimit.parse("100/1s bursting"), 20, RateLimit.parse("3/1h"), 2, null), 7,
				Instant.ofEpochMilli(1_800_000_000_123L), "an application: with blanks");
		String words = LimitWords.of(limits);
		assertThat(words).isEqualTo("q=100/1000b m=20 kq=3/3600000 km=2 l=7");
		assertThat(LimitWords.read(words, "7", "1800000000123 an application: with blanks")).isEqualTo(limits);
	}

	@Test
	void whatALaterVersionWritesIsLeftAside() {
		StoredLimits limits = LimitWords.read("q=10/1000~2 m=5~2 new=7 kq=x/y km=some", "7 x", "1800000000123 by one");
		assertThat(limits.claims()).isEqualTo(new ClaimLimits(RateLimit.parse("10/1s"), 5, null, null, null));
		assertThat(limits.lineLength()).isEqualTo(7);
		assertThat(LimitWords.read("q=0/1000 m=0 kq=1/99999999999999999999", "x", "changed").claims())
			.isEqualTo(ClaimLimits.NONE);
		assertThat(LimitWords.read("m=5", "", "changed").changedBy()).isEqualTo("changed");
	}

	@Test
	void nothingIsSetIfNothingWasChanged() {
		assertThat(LimitWords.read("", "", "")).isEqualTo(StoredLimits.NONE);
		assertThat(LimitWords.of(StoredLimits.NONE)).isEmpty();
	}

}
