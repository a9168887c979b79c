package io.redelay.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.redelay.test.redis.TcpFaultProxy;
import io.redelay.test.redis.TcpFaultProxy.Direction;

/**
 * What becomes of requests for locks.
 */
enum AnswerFault {

	/**
	 * The answers come when the client of Redis has stopped waiting for them.
	 */
	LATE,

	/**
	 * The connections break when Redis has executed the requests.
	 */
	LOST,

	/**
	 * The connections break before the requests arrive.
	 */
	CUT;

	/**
	 * Strikes what is requested within a time.
	 * @param proxies between the client and each server
	 * @param timeout how long the client waits for an answer
	 */
	void strike(List<TcpFaultProxy> proxies, Duration timeout, Runnable requests, Duration time) {
		Direction direction = (this == CUT) ? Direction.TO_SERVER : Direction.TO_CLIENT;
		if (this == LATE) {
			proxies.forEach((proxy) -> proxy.hold(direction, time.plus(timeout.multipliedBy(3))));
			requests.run();
			return;
		}
		proxies.forEach((proxy) -> proxy.hold(direction));
		requests.run();
		CompletableFuture.runAsync(() -> proxies.forEach((proxy) -> {
			proxy.dropConnections();
			proxy.release(direction);
		}), CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS)).join();
	}

}
