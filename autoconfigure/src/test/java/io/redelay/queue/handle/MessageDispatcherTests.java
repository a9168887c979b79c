package io.redelay.queue.handle;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.redelay.queue.AckMode;
import io.redelay.queue.claim.ListenerRuntime;
import io.redelay.queue.deadletter.DeadLetterCourier;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.script.ClaimReply;
import io.redelay.test.IdleStore;
import io.redelay.test.ListenerRuntimeBuilder;
import io.redelay.test.TestSettings;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MessageDispatcher}.
 */
class MessageDispatcherTests {

	private final VirtualTime time = new VirtualTime();

	private final Owner owner = new Owner();

	private final MessageDispatcher dispatcher = createDispatcher();

	@Test
	void whatHasHadItsTurnForAShortTimeIsNotStalled() {
		Delivery next = delivery("next");
		next.follow(delivery("first"));
		this.time.advance(Duration.ofSeconds(10));
		next.takeTurn(this.time.nanoTime());
		this.dispatcher.dispatch(List.of(next));
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.owner.stalled).isZero();
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.owner.stalled).isEqualTo(1);
	}

	private Delivery delivery(String uid) {
		ClaimReply.Message message = new ClaimReply.Message(uid, 1, 0, 0, false,
				"{\"sentAt\":1,\"v\":1,\"payload\":1}".getBytes(StandardCharsets.UTF_8));
		return new Delivery(this.owner, Deliveries.context("orders", "orders", this.time), message, 0, Instant.EPOCH,
				this.time.nanoTime());
	}

	/**
	 * Creates a dispatcher whose handlers are all busy.
	 */
	private MessageDispatcher createDispatcher() {
		ContainerSettings settings = new ContainerSettings("test",
				Map.of("orders", TestSettings.queue(Duration.ofSeconds(30))),
				new ContainerSettings.Concurrency(1, 1, null), AckMode.AUTO, ContainerSettings.Batch.NONE, true,
				List.of());
		IdleStore store = new IdleStore();
		ListenerRuntime runtime = new ListenerRuntimeBuilder(store.scripts(), this.time).build();
		ListenerHandling handling = new ListenerHandling(settings, (deliveries) -> null, store.scripts(),
				new EnvelopeCodec(), this.time, runtime.handlers(), runtime.failures(),
				new DeadLetterCourier(runtime.deadLetters()));
		return new MessageDispatcher(handling, new NoPermit());
	}

	private static final class Owner extends IdleOwner {

		private int stalled;

		@Override
		public void giveBackStalled() {
			this.stalled++;
		}

	}

	private static final class NoPermit implements HandlerPermits {

		private final HandlingTimeEstimate pace = new HandlingTimeEstimate(null);

		@Override
		public int count() {
			return 0;
		}

		@Override
		public HandlingTimeEstimate pace() {
			return this.pace;
		}

		@Override
		public int mostWaiting(int running) {
			return 0;
		}

		@Override
		public boolean isAhead(String queue) {
			return false;
		}

		@Override
		public void demand(int messages) {
		}

	}

}
