package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration.JobRunrConfigurationResult;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * JobRunr: a job request for each message, and a background job server that looks for
 * jobs as often as it may with a database.
 */
final class JobRunrClient implements Client {

	private static final Duration POLLING = Duration.ofSeconds(5);

	private final Database database;

	private final JdbcClient jdbc;

	private final JobRequestScheduler scheduler;

	private final BackgroundJobServer server;

	JobRunrClient(Database database, Setup setup, OrderHandler handler) {
		this.database = database;
		this.jdbc = JdbcClient.create(database.dataSource());
		JobRunrConfigurationResult jobRunr = JobRunr.configure()
			.useJsonMapper(new Jackson3JsonMapper())
			.useStorageProvider(SqlStorageProviderFactory.using(database.dataSource()))
			.useJobActivator(new Handlers(new Handler(handler)))
			.useBackgroundJobServer(BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
				.andWorkerCount(setup.concurrency())
				.andPollInterval(POLLING), false)
			.initialize();
		this.scheduler = jobRunr.getJobRequestScheduler();
		this.server = jobRunr.getBackgroundJobServer();
	}

	@Override
	public void send(Order order) {
		this.scheduler.enqueue(new Request(order));
	}

	@Override
	public void sendAll(List<Order> orders) {
		this.scheduler.enqueue(orders.stream().map(Request::new));
	}

	@Override
	public void sendLater(Order order, Duration delay) {
		this.scheduler.schedule(Instant.now().plus(delay), new Request(order));
	}

	@Override
	public void listen() {
		this.server.start();
	}

	@Override
	public long left() {
		return this.jdbc.sql("select count(*) from jobrunr_jobs where state in ('ENQUEUED', 'PROCESSING')")
			.query(Long.class)
			.single();
	}

	@Override
	public void close() {
		this.server.stop();
		JobRunr.destroy();
		this.database.close();
	}

	/**
	 * A message as a job.
	 *
	 * @param order the message
	 */
	public record Request(Order order) implements JobRequest {

		@Override
		public Class<Handler> getJobRequestHandler() {
			return Handler.class;
		}

	}

	/**
	 * Handles jobs.
	 *
	 * @param handler is given each message
	 */
	public record Handler(OrderHandler handler) implements JobRequestHandler<Request> {

		@Override
		public void run(Request request) {
			this.handler.accept(request.order());
		}

	}

	private record Handlers(Handler handler) implements JobActivator {

		@Override
		public <T> T activateJob(Class<T> type) {
			return type.cast(this.handler);
		}

	}

}
