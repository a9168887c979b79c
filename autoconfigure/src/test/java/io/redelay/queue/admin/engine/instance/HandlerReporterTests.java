package io.redelay.queue.admin.engine.instance;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.RunningHandling;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link HandlerReporter}.
 */
class HandlerReporterTests {

	private static final Instant NOW = Instant.ofEpochMilli(1000);

	private final JsonMapper mapper = JsonMapper.shared();

	private final Thread thread = new Thread(() -> {
	}, "x".repeat(1000));

	private final HandlerReporter reporter = new HandlerReporter("one", "One", new RecentWork(new VirtualTime()),
			this.mapper);

	@Test
	void nothingIsInterruptedForWhomNobodyWaits() {
		Delivery delivery = delivery(7);
		assertThat(ask(HandlerQuestion.INTERRUPT, 7, true, 999, delivery)).isNull();
		then(delivery).should(never()).interruptHandler();
		assertThat(ask(HandlerQuestion.INTERRUPT, 7, true, 1000, delivery).interrupted()).isTrue();
		then(delivery).should().interruptHandler();
	}

	@Test
	void onlyTheAskedClaimIsMeant() {
		Delivery lost = delivery(6);
		Delivery present = delivery(7);
		assertThat(ask(HandlerQuestion.STACK, 7, true, 1000, lost, present).stack().claim()).isEqualTo(7);
		assertThat(ask(HandlerQuestion.INTERRUPT, 7, true, 1000, lost, present).interrupted()).isTrue();
		then(lost).should(never()).interruptHandler();
	}

	@Test
	void noStackIsTakenThatNobodyMaySee() {
		Delivery delivery = delivery(7);
		HandlerAnswer hidden = ask(HandlerQuestion.LIST, 7, false, 1000, delivery);
		assertThat(hidden.handlers()).singleElement().satisfies((handler) -> {
			assertThat(handler.thread()).isNull();
			assertThat(handler.line()).isNull();
		});
		then(delivery).should(never()).stackTrace();
		HandlerAnswer shown = ask(HandlerQuestion.LIST, 7, true, 1000, delivery);
		assertThat(shown.handlers()).singleElement().satisfies((handler) -> {
			assertThat(handler.thread()).hasSize(300).endsWith("x…");
			assertThat(handler.line()).isNotNull();
		});
	}

	private HandlerAnswer ask(String kind, long claim, boolean lines, long until, Delivery... inHand) {
		String answer = this.reporter.answer(
				this.mapper.writeValueAsString(new HandlerQuestion(kind, "q", "u", claim, lines, until)),
				List.of(inHand));
		return (answer != null) ? HandlerAnswer.read(this.mapper, answer) : null;
	}

	private Delivery delivery(long claim) {
		Delivery delivery = Mockito.mock();
		given(delivery.running()).willReturn(new RunningHandling(5, 1, false, this.thread, null));
		given(delivery.info()).willReturn(new DeliveryInfo("q", "i", "u", 1, 0, 0, NOW, NOW));
		given(delivery.queue()).willReturn("q");
		given(delivery.uid()).willReturn("u");
		given(delivery.listener()).willReturn("l");
		given(delivery.claimNumber()).willReturn(claim);
		given(delivery.storeTime()).willReturn(NOW);
		given(delivery.stackTrace()).willReturn(new Throwable().getStackTrace());
		given(delivery.interruptHandler()).willReturn(true);
		return delivery;
	}

}
