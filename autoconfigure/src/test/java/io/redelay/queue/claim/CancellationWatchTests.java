package io.redelay.queue.claim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.redelay.queue.handle.Deliveries;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.IdleOwner;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.IsCancelledScript;
import io.redelay.queue.work.CancellationReason;
import io.redelay.test.IdleStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CancellationWatch}: a notice may come before the reply to the claim of
 * its message.
 */
class CancellationWatchTests {

	private static final String QUEUE = "orders";

	private final VirtualTime time = new VirtualTime();

	private final List<Delivery> held = new ArrayList<>();

	private final CancellationWatch watch = new CancellationWatch(QUEUE,
			new IsCancelledScript(new IdleStore().scripts().runner()), this.time, () -> List.copyOf(this.held));

	@Test
	void aMessageThatIsHeldIsCancelledAtOnce() {
		Delivery delivery = claimed("a");
		this.watch.cancelled("a");
		assertThat(delivery.reason()).isEqualTo(CancellationReason.CANCELLED);
	}

	@Test
	void aNoticeThatOvertakesTheReplyToTheClaimIsKept() {
		this.watch.cancelled("a");
		this.time.advance(Duration.ofSeconds(29));
		Delivery other = claimed("b");
		Delivery delivery = claimed("a");
		assertThat(delivery.reason()).isEqualTo(CancellationReason.CANCELLED);
		assertThat(other.reason()).isNull();
	}

	@Test
	void aNoticeIsForgottenWhenItsMessageHasNotCome() {
		this.watch.cancelled("a");
		this.time.advance(Duration.ofSeconds(30));
		assertThat(claimed("a").reason()).isNull();
	}

	@Test
	void ofManyNoticesTheOldestIsForgotten() {
		IntStream.rangeClosed(0, 1000).forEach((number) -> this.watch.cancelled("m" + number));
		assertThat(claimed("m0").reason()).isNull();
		assertThat(claimed("m1").reason()).isEqualTo(CancellationReason.CANCELLED);
		assertThat(claimed("m1000").reason()).isEqualTo(CancellationReason.CANCELLED);
	}

	private Delivery claimed(String uid) {
		Delivery delivery = delivery(uid, this.time);
		this.held.add(delivery);
		this.watch.claimed(List.of(delivery));
		return delivery;
	}

	static Delivery delivery(String uid, VirtualTime time) {
		ClaimReply.Message message = new ClaimReply.Message(uid, 1, 0, 0, false,
				"{\"sentAt\":1,\"payload\":1}".getBytes(StandardCharsets.UTF_8));
		return new Delivery(new IdleOwner(), Deliveries.context(QUEUE, QUEUE, time), message, 0, Instant.EPOCH,
				time.nanoTime());
	}

}
