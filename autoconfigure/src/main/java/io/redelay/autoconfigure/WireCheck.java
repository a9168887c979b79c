package io.redelay.autoconfigure;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.redelay.guard.Finding;
import io.redelay.guard.GuardLevel;
import io.redelay.guard.UnsuitableRedisException;
import io.redelay.log.PlainLog;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.wire.WireGate;
import org.apache.commons.logging.Log;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Keeps the application from starting if another version of Redelay uses the same Redis
 * and the two do not work beside each other. A Redis that does not answer, or is
 * connected at its first use, is asked before the first request.
 *
 * @param redisson the client of the server
 * @param scripts sends the request
 * @param gate knows the answer
 */
record WireCheck(RedissonClient redisson, QueueScripts scripts, WireGate gate) implements SmartInitializingSingleton {

	private static final Log logger = PlainLog.of(WireCheck.class);

	private static final long ANSWER_SECONDS = 10;

	@Override
	public void afterSingletonsInstantiated() {
		try {
			if (this.redisson.getConfig().isLazyInitialization()) {
				return;
			}
			this.scripts.runner().speak().get(ANSWER_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.debug("Redis is asked again before the first request", ex);
		}
		WireGate.Refusal refusal = this.gate.refusal();
		if (refusal != null) {
			throw new RefusedException(refusal);
		}
	}

	/**
	 * Thrown if this version must not use Redis, which no property changes.
	 */
	@SuppressWarnings("serial") // as the findings are
	static final class RefusedException extends UnsuitableRedisException {

		RefusedException(WireGate.Refusal refusal) {
			super(List.of(new Finding(GuardLevel.FAIL, refusal.problem(), refusal.action())));
		}

	}

}
