package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * db-scheduler: a one-time task for each message. What is due is executed at once where
 * it was scheduled, and looked for ten times a second.
 */
final class DbSchedulerClient implements Client {

	private static final Duration POLLING = Duration.ofMillis(100);

	private final Database database;

	private final JdbcClient jdbc;

	private final OneTimeTask<Order> task;

	private final Scheduler scheduler;

	private final String session = UUID.randomUUID().toString();

	private final AtomicLong ids = new AtomicLong();

	DbSchedulerClient(Database database, Setup setup, OrderHandler handler) {
		this.database = database;
		this.jdbc = JdbcClient.create(database.dataSource());
		String postgres = database.isPostgres() ? "bytea" : "blob";
		this.jdbc.sql("""
				create table scheduled_tasks (task_name varchar(100) not null, task_instance varchar(100) not null,
				task_data %s, execution_time timestamp with time zone not null, picked boolean not null,
				picked_by varchar(50), last_success timestamp with time zone, last_failure timestamp with time zone,
				consecutive_failures int, last_heartbeat timestamp with time zone, version bigint not null,
				priority smallint, primary key (task_name, task_instance))""".formatted(postgres)).update();
		this.jdbc.sql("create index by_time on scheduled_tasks (execution_time)").update();
		this.jdbc.sql("create index by_heartbeat on scheduled_tasks (last_heartbeat)").update();
		this.task = Tasks.oneTime("order", Order.class)
			.execute((instance, context) -> handler.accept(instance.getData()));
		var builder = Scheduler.create(database.dataSource(), this.task)
			.serializer(new JsonSerializer())
			.threads(setup.concurrency())
			.pollingInterval(POLLING)
			.enableImmediateExecution();
		this.scheduler = (database.isPostgres() ? builder.pollUsingLockAndFetch(1.0, 4.0) : builder).build();
	}

	@Override
	public void send(Order order) {
		this.scheduler.schedule(instance(order), Instant.now());
	}

	@Override
	public void sendLater(Order order, Duration delay) {
		this.scheduler.schedule(instance(order), Instant.now().plus(delay));
	}

	@Override
	public void sendAll(List<Order> orders) {
		sendAllLater(orders, Duration.ZERO);
	}

	@Override
	public void sendAllLater(List<Order> orders, Duration delay) {
		this.scheduler.scheduleBatch(orders.stream().<TaskInstance<?>>map(this::instance).toList(),
				Instant.now().plus(delay));
	}

	private TaskInstance<Order> instance(Order order) {
		return this.task.instance(String.format(Locale.ROOT, "%s-%d", this.session, this.ids.incrementAndGet()), order);
	}

	@Override
	public void listen() {
		this.scheduler.start();
	}

	@Override
	public long left() {
		return this.jdbc.sql("select count(*) from scheduled_tasks where execution_time <= current_timestamp")
			.query(Long.class)
			.single();
	}

	@Override
	public void close() {
		this.scheduler.stop();
		this.database.close();
	}

	private static final class JsonSerializer implements Serializer {

		@Override
		public byte[] serialize(Object data) {
			return JsonMapper.shared().writeValueAsBytes(data);
		}

		@Override
		public <T> T deserialize(Class<T> type, byte[] data) {
			return JsonMapper.shared().readValue(data, type);
		}

	}

}
