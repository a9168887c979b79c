package io.redelay.queue.handle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.Uids;
import io.redelay.scheduling.AsyncCall;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the claimed messages of ticks until the {@link TickAdmission} has decided
 * about them.
 */
public record TickGate(TickAdmission admission, EnvelopeCodec codec) {

	private static final Log logger = PlainLog.of(TickGate.class);

	/**
	 * How long a tick waits if the decision about it failed.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	/**
	 * Returns the deliveries that are no ticks, and has the ticks decided about.
	 * @param queue the queue as the store knows it
	 * @param deliveries the claimed deliveries
	 * @param admitted called later with each tick that is to be handled
	 * @return the deliveries that are no ticks
	 */
	public List<Delivery> pass(String queue, List<Delivery> deliveries, Consumer<Delivery> admitted) {
		List<Delivery> ticks = null;
		for (Delivery delivery : deliveries) {
			if (delivery.uid().endsWith(Uids.TICK_SUFFIX)) {
				ticks = (ticks != null) ? ticks : new ArrayList<>();
				ticks.add(delivery);
			}
		}
		if (ticks == null) {
			return deliveries;
		}
		List<Delivery> others = new ArrayList<>(deliveries);
		others.removeAll(ticks);
		ticks.forEach((tick) -> decide(queue, tick, admitted));
		return others;
	}

	private void decide(String queue, Delivery tick, Consumer<Delivery> admitted) {
		AsyncCall.of(() -> this.admission.admit(queue, tick.uid(), this.codec.read(tick.claim().message().envelope())))
			.whenComplete((verdict, failure) -> {
				if (failure != null) {
					FailureText.warnInOneLine(logger, "The " + tick + ", a tick of a recurring message, waits for "
							+ PAUSE + ": it could not be found out what becomes of it", failure);
					tick.settlement().giveBack(PAUSE);
				}
				else {
					carryOut(verdict, tick, admitted);
				}
			});
	}

	private static void carryOut(TickAdmission.@Nullable Verdict verdict, Delivery tick, Consumer<Delivery> admitted) {
		TickAdmission.Verdict given = (verdict != null) ? verdict : TickAdmission.Verdict.HANDLE;
		switch (given.action()) {
			case HANDLE -> {
				tick.stages().ofTick(given.end(), given.state());
				admitted.accept(tick);
			}
			case SKIP -> tick.settlement().acknowledgeUnhandled(null);
			case WAIT -> tick.settlement().giveBack(given.delay());
		}
	}

}
