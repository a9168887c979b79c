package io.redelay.queue.observation;

import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * An observation that cannot keep what it observes from being done: what its handlers
 * throw is logged.
 *
 * @since 0.1.0
 */
public final class GuardedObservation {

	/**
	 * Observes nothing.
	 */
	public static final GuardedObservation NONE = new GuardedObservation(Observation.NOOP);

	private static final Log logger = LogFactory.getLog(GuardedObservation.class);

	private final Observation observation;

	private GuardedObservation(Observation observation) {
		this.observation = observation;
	}

	/**
	 * Starts an observation.
	 * @param observation gives it, not started
	 * @return the observation
	 */
	public static GuardedObservation start(Supplier<Observation> observation) {
		try {
			return new GuardedObservation(observation.get().start());
		}
		catch (Throwable ex) {
			failed(ex);
			return NONE;
		}
	}

	/**
	 * Makes it the current one of the thread.
	 * @return ends that when closed
	 */
	public Scope openScope() {
		try {
			Observation.Scope scope = this.observation.openScope();
			return () -> guard(scope::close);
		}
		catch (Throwable ex) {
			failed(ex);
			return () -> {
			};
		}
	}

	/**
	 * Ends the observation of what went well.
	 */
	public void stop() {
		guard(this.observation::stop);
	}

	/**
	 * Ends the observation of what failed.
	 * @param failure why
	 */
	public void fail(Throwable failure) {
		guard(() -> this.observation.error(failure));
		guard(this.observation::stop);
	}

	private static void guard(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private static void failed(Throwable ex) {
		String what = "An observation failed, and what it observes goes on";
		try {
			logger.warn(what, ex);
		}
		catch (Throwable unprintable) {
			logger.warn(what + ": a " + ex.getClass().getName() + " that cannot be printed");
		}
	}

	/**
	 * During which the observation is the current one of a thread.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
