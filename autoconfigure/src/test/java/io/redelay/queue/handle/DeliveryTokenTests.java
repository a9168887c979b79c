package io.redelay.queue.handle;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DeliveryToken}.
 */
class DeliveryTokenTests {

	private final DeliveryToken one = new DeliveryToken();

	private final DeliveryToken two = new DeliveryToken();

	private final CancellationToken batch = DeliveryToken.ofAll(List.of(this.one, this.two));

	@Test
	void theTokenOfABatchTurnsWithTheLastOne() {
		turn(this.one, CancellationReason.CANCELLED);
		assertThat(this.batch.isCancelled()).isFalse();
		turn(this.two, CancellationReason.DEADLINE);
		assertThat(this.batch.reason()).isEqualTo(CancellationReason.DEADLINE);
	}

	@Test
	void aBatchThatIsShutDownGoesOnThoughOneOfItsMessagesIsCancelled() {
		List<CancellationReason> reported = new ArrayList<>();
		this.batch.onCancel(reported::add);
		turn(this.one, CancellationReason.SHUTDOWN);
		turn(this.two, CancellationReason.SHUTDOWN);
		turn(this.one, CancellationReason.CANCELLED);
		assertThat(this.batch.reason()).isEqualTo(CancellationReason.SHUTDOWN);
		turn(this.two, CancellationReason.CANCELLED);
		assertThat(reported).containsExactly(CancellationReason.SHUTDOWN, CancellationReason.CANCELLED);
	}

	@Test
	void aBatchOfWhichOneMessageWasCancelledIsShutDown() {
		turn(this.one, CancellationReason.CANCELLED);
		turn(this.two, CancellationReason.SHUTDOWN);
		assertThat(this.batch.reason()).isEqualTo(CancellationReason.SHUTDOWN);
	}

	@Test
	@SuppressWarnings("NullAway") // what a handler may do all the same
	void aTokenTurnsThoughOneOfItsCallbacksIsNull() {
		List<CancellationReason> reported = new ArrayList<>();
		this.one.onCancel(null);
		this.one.onCancel(reported::add);
		turn(this.one, CancellationReason.LEASE_LOST);
		assertThat(reported).containsExactly(CancellationReason.LEASE_LOST);
	}

	private static void turn(DeliveryToken token, CancellationReason reason) {
		token.turn(reason, Runnable::run);
	}

}
