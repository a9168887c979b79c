package io.redelay.queue.claim;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.message.Settlement;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FinishedSettlements}: what handlers end that run on after their
 * messages were given back.
 */
class FinishedSettlementsTests {

	private static final Settlement BACK = Settlement.giveBack("a", 1, Duration.ZERO);

	private static final Settlement OTHER = Settlement.giveBack("b", 1, Duration.ZERO);

	private final FinishedSettlements finished = new FinishedSettlements();

	@Test
	void aFailureTakesThePlaceOfAGiveBackThatWasNotSent() {
		this.finished.add(BACK);
		this.finished.add(OTHER);
		Settlement failure = Settlement.retry("a", 1, Duration.ofSeconds(1));
		this.finished.addAfterGivingBack(failure);
		assertThat(this.finished.take()).containsExactlyInAnyOrder(failure, OTHER);
	}

	@Test
	void aBurialTakesThePlaceOfAGiveBackThatWasNotSent() {
		this.finished.add(BACK);
		Settlement burial = Settlement.bury("a", 1, "{}");
		this.finished.addAfterGivingBack(burial);
		assertThat(this.finished.take()).containsExactly(burial);
	}

	@Test
	void ofAMessageThatIsBackOnlyAnAcknowledgementCounts() {
		this.finished.add(BACK);
		assertThat(this.finished.take()).isEqualTo(List.of(BACK));
		this.finished.addAfterGivingBack(Settlement.retry("a", 1, Duration.ofSeconds(1)));
		assertThat(this.finished.isEmpty()).isTrue();
		this.finished.addAfterGivingBack(Settlement.ack("a", 1));
		assertThat(this.finished.take()).containsExactly(Settlement.ack("a", 1));
	}

	@Test
	void ofALaneThatIsGoneOnlyAnAcknowledgementCountsAndLate() {
		this.finished.addLate(Settlement.retry("a", 1, Duration.ofSeconds(1)));
		assertThat(this.finished.isEmpty()).isTrue();
		this.finished.addLate(Settlement.ack("a", 1));
		assertThat(this.finished.take()).containsExactly(Settlement.ack("a", Settlement.LATE));
	}

}
