package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.List;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Calls one listener to trouble, on a thread of its own: no listener waits for another.
 * <p>
 * Safe for use by many threads.
 */
final class TroubleLane extends MoveBuffer<TroubleCall> {

	private static final Log logger = PlainLog.of(TroubleLane.class);

	private final TroubleListener listener;

	private final String name;

	/**
	 * Creates a lane without a thread.
	 * @param listener the listener
	 * @param name its name for the log
	 * @param clock the clock
	 */
	TroubleLane(TroubleListener listener, String name, Scheduler clock) {
		super("redelay-trouble-", TroubleVerdicts.MAX_TROUBLES, 1, Duration.ZERO,
				"a listener to trouble of queues is too slow", clock);
		this.listener = listener;
		this.name = name;
	}

	@Override
	void deliver(long first, List<TroubleCall> calls) {
		calls.forEach(this::call);
	}

	@Override
	void onDrop(TroubleCall call) {
		call.end();
	}

	private void call(TroubleCall call) {
		if (!call.begin()) {
			return;
		}
		try {
			this.listener.onTrouble(call.event());
		}
		catch (Throwable ex) {
			logger.warn("A listener to trouble failed: " + this.name + ", with " + call.event(), ex);
		}
		finally {
			call.end();
		}
	}

	/**
	 * Returns the name of the listener.
	 */
	@Override
	public String toString() {
		return this.name;
	}

}
