package io.redelay.benchmarks.peers.contender;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

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
	 * @param postgres the URL of a database of PostgreSQL, all of which is deleted, or
	 * {@code null}
	 * @return the contenders
	 */
	public static List<Contender> all(Path bullMq, @Nullable String postgres) {
		Supplier<Database> postgreSql = () -> {
			if (postgres == null) {
				throw new NotOfferedException("no PostgreSQL was named by --postgresql");
			}
			return Database.postgres(postgres);
		};
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
				new JavaContender("spring-integration", SpringIntegrationClient::new),
				new SqlContender("db-scheduler-h2", 20, Database::h2, DbSchedulerClient::new),
				new SqlContender("db-scheduler-postgresql", 20, postgreSql, DbSchedulerClient::new),
				new SqlContender("jobrunr-h2", 100, Database::h2, JobRunrClient::new),
				new SqlContender("jobrunr-postgresql", 100, postgreSql, JobRunrClient::new),
				new JavaContender("no-queue", NoQueueClient::new));
	}

}
