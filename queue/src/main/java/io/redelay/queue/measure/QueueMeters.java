package io.redelay.queue.measure;

import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;

/**
 * The meters that are called, none of which can disturb the engine or another one.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class QueueMeters {

	private static final Log logger = PlainLog.of(QueueMeters.class);

	private final CopyOnWriteArrayList<QueueMeter> meters = new CopyOnWriteArrayList<>();

	/**
	 * The types of meters whose failure has been logged.
	 */
	private final Set<Class<?>> failed;

	/**
	 * Creates an empty list.
	 * @param failed the types of meters whose failure has been logged, for this list and
	 * others
	 */
	public QueueMeters(Set<Class<?>> failed) {
		this.failed = failed;
	}

	/**
	 * Adds a meter, which is called from now on.
	 * @param meter the meter
	 */
	public void add(QueueMeter meter) {
		this.meters.add(meter);
	}

	/**
	 * Returns whether there is no meter, so that nothing need be measured.
	 * @return whether there is none
	 */
	public boolean isEmpty() {
		return this.meters.isEmpty();
	}

	/**
	 * Calls each meter.
	 * @param recording what to call of a meter
	 */
	public void record(Consumer<QueueMeter> recording) {
		for (QueueMeter meter : this.meters) {
			try {
				recording.accept(meter);
			}
			catch (Throwable ex) {
				failed(meter, ex);
			}
		}
	}

	/**
	 * Calls each meter with the handling of a message.
	 * @param handling the handling
	 */
	public void handled(Handling handling) {
		for (QueueMeter meter : this.meters) {
			try {
				meter.handled(handling);
			}
			catch (Throwable ex) {
				failed(meter, ex);
			}
		}
	}

	private void failed(QueueMeter meter, Throwable failure) {
		if (this.failed.add(meter.getClass())) {
			logger.warn("The QueueMeter " + meter.getClass().getName()
					+ " failed, which changes nothing for the messages, but what it shows is incomplete."
					+ " Mend it; its further failures are not logged", failure);
		}
	}

}
