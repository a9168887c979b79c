package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.List;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Calls one listener to trouble, on a thread of its own: no listener waits for another.
 * <p>
 * Safe for use by many threads.
 */
final class TroubleLane extends MoveBuffer<TroubleLane.Call> {

	private static final Log logger = PlainLog.of(TroubleLane.class);

	private final TroubleListener listener;

	TroubleLane(TroubleListener listener, Scheduler clock) {
		super("redelay-trouble-", TroubleVerdicts.MAX_TROUBLES, 1, Duration.ZERO,
				"a listener to trouble of queues is too slow", clock);
		this.listener = listener;
	}

	@Override
	void deliver(long first, List<Call> calls) {
		calls.forEach(this::call);
	}

	private void call(Call call) {
		if (!call.report().begin()) {
			return;
		}
		try {
			this.listener.onTrouble(call.event());
		}
		catch (Throwable ex) {
			logger.warn("A listener to trouble failed, which changes nothing for others: " + call.event(), ex);
		}
		finally {
			call.report().end();
		}
	}

	/**
	 * A call of the listener.
	 */
	record Call(TroubleEvent event, TroubleReport report) {

	}

}
