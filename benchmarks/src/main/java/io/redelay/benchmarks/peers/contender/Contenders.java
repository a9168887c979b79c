package io.redelay.benchmarks.peers.contender;

import java.nio.file.Path;
import java.util.List;

/**
 * All contenders.
 *
 * @since 0.1.0
 */
public final class Contenders {

	/**
	 * The name of that with which all are compared.
	 */
	public static final String LIMIT = "limit";

	private Contenders() {
	}

	/**
	 * Returns all contenders.
	 * @param bullMq the folder with the script of BullMQ and its packages
	 * @return the contenders
	 */
	public static List<Contender> all(Path bullMq) {
		return List.of(new JavaContender(LIMIT, LimitClient::polling),
				new JavaContender("limit-asleep", LimitClient::sleeping),
				new JavaContender("limit-lettuce", LettuceClient::new),
				new JavaContender("redelay", RedelayClient::new),
				new JavaContender("rqueue", 1000, RqueueClient::asItComes),
				new JavaContender("rqueue-best", 20, RqueueClient::atItsBest),
				new BullMqContender("bullmq-1", bullMq, 1), new BullMqContender("bullmq-50", bullMq, 50),
				new JavaContender("blocking-queue", BlockingQueueClient::new),
				new JavaContender("delayed-queue", DelayedQueueClient::new),
				new JavaContender("redisson-stream", RedissonStreamClient::new),
				new JavaContender("spring-stream", SpringStreamClient::new),
				new JavaContender("no-queue", NoQueueClient::new));
	}

}
