package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link MessageDeadline}.
 */
class MessageDeadlineTests {

	private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

	private final OutboundMessage message = OutboundMessage.to("orders", "x");

	@Test
	void itIsAfterTheMessageIsDue() {
		assertThat(
				this.message.delay(Duration.ofHours(1)).deadline(Duration.ofHours(1).plusMillis(1)).limits().deadline())
			.isNotNull();
		assertThat(this.message.dueAt(NOON).deadline(NOON.plusMillis(1)).limits().deadline()).isNotNull();
	}

	@Test
	void oneThatIsNotNamesBoth() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.message.delay(Duration.ofHours(2)).deadline(Duration.ofMinutes(30)))
			.withMessageContaining("PT30M")
			.withMessageContaining("PT2H")
			.withMessageContaining("give it a later deadline");
		assertThatIllegalArgumentException().isThrownBy(() -> this.message.deadline(NOON).dueAt(NOON))
			.withMessageContaining("the deadline is " + NOON)
			.withMessageContaining("it is due " + NOON);
	}

	@Test
	void theSpreadCounts() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.message.delay(Duration.ofMinutes(20))
				.deadline(Duration.ofMinutes(30))
				.spread(Duration.ofMinutes(10)))
			.withMessageContaining("PT30M")
			.withMessageContaining("by its spread");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.message.spread(Duration.ofMinutes(10)).deadline(Duration.ofMinutes(5)));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.message.dueAt(NOON).deadline(NOON.plusSeconds(600)).spread(Duration.ofMinutes(10)));
	}

	@Test
	void theWaitForOthersOfItsKeyCounts() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.message.deadline(Duration.ofSeconds(5))
				.deduplicate(Deduplication.debounce("k", Duration.ofSeconds(5), Duration.ofMinutes(1))))
			.withMessageContaining("PT5S");
	}

	@Test
	void itIsWithinBounds() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.message.deadline(Duration.ZERO))
			.withMessageContaining("1 ms to 3650 days");
		assertThatIllegalArgumentException().isThrownBy(() -> this.message.deadline(Duration.ofDays(3651)));
		assertThatIllegalArgumentException().isThrownBy(() -> this.message.deadline(Instant.EPOCH))
			.withMessageContaining("after 1970");
	}

}
