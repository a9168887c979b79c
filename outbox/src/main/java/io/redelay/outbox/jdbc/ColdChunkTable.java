package io.redelay.outbox.jdbc;

import java.sql.Types;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.redelay.outbox.OutboxException;
import io.redelay.queue.script.admin.ColdChunks;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The table of the content of packed messages that are due much later, in the database of
 * the outbox. Its two threads are there while it is used; each request has a short
 * transaction of its own. A request fails after 10 seconds, or if 100 others wait.
 *
 * @since 0.1.0
 */
public final class ColdChunkTable implements ColdChunks, AutoCloseable {

	private static final int THREADS = 2;

	private static final int MAX_WAITING = 100;

	/**
	 * How long one request takes at most. Nobody waits longer for a database that is
	 * away, as other messages may be due.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(10);

	private static final String COLUMNS = "redelay_cold_chunk (owner, queue, chunk, sha1, due_at, latest_at, message_count, "
			+ "packed, leaving_since) ";

	private static final String VALUES = "VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)";

	private final ThreadPoolExecutor threads = new ThreadPoolExecutor(THREADS, THREADS, LIMIT.toSeconds(),
			TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), threadFactory());

	private final JdbcTemplate template;

	private final JdbcClient jdbc;

	private final TransactionTemplate transactions;

	private final String insert;

	private final String now;

	private final LongAdder written = new LongAdder();

	private final LongAdder loaded = new LongAdder();

	private final LongAdder deleted = new LongAdder();

	/**
	 * Creates access to the table.
	 * @param dataSource the database of the outbox
	 * @param initialize whether to create the table
	 * @param check whether to refuse a database without the table
	 * @throws OutboxException if it is refused
	 */
	public ColdChunkTable(DataSource dataSource, boolean initialize, boolean check) {
		OutboxDialect dialect = OutboxDialect.of(dataSource);
		if (initialize) {
			new OutboxMigrations(dataSource, dialect).apply();
		}
		this.template = new JdbcTemplate(dataSource);
		this.template.setQueryTimeout((int) LIMIT.toSeconds());
		this.jdbc = JdbcClient.create(this.template);
		this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.insert = insert(dialect);
		this.now = dialect.now();
		this.threads.allowCoreThreadTimeOut(true);
		if (check) {
			check(dialect);
		}
	}

	private static CustomizableThreadFactory threadFactory() {
		CustomizableThreadFactory factory = new CustomizableThreadFactory("redelay-cold-");
		factory.setDaemon(true);
		return factory;
	}

	/**
	 * A row that is there already is not written again, as the same bytes are in it.
	 */
	private static String insert(OutboxDialect dialect) {
		return switch (dialect) {
			case H2 -> "MERGE INTO " + COLUMNS + "KEY (queue, chunk, sha1, owner) " + VALUES;
			case POSTGRESQL -> "INSERT INTO " + COLUMNS + VALUES
					+ " ON CONFLICT (queue, chunk, sha1, owner) DO UPDATE SET leaving_since = NULL";
			case MYSQL -> "INSERT INTO " + COLUMNS + VALUES + " ON DUPLICATE KEY UPDATE leaving_since = NULL";
		};
	}

	private void check(OutboxDialect dialect) {
		try {
			this.jdbc.sql("SELECT COUNT(*) FROM redelay_cold_chunk WHERE id < 0").query(Long.class).single();
		}
		catch (DataAccessException ex) {
			throw new OutboxException(
					"'redelay.queue.cold-horizon' is set, and the database of the outbox has no table 'redelay_cold_chunk'"
							+ " that can be read: " + ex.getMostSpecificCause().getMessage(),
					"Set redelay.outbox.initialize-schema to 'always', carry out the scripts in classpath:"
							+ dialect.folder()
							+ " with Flyway, Liquibase or by hand, or set redelay.queue.cold-horizon to 0");
		}
	}

	@Override
	public CompletableFuture<Void> save(List<Saved> chunks) {
		List<Object[]> rows = chunks.stream()
			.map((each) -> new Object[] { each.owner(), each.key().queue(), each.key().chunk(), each.key().sha1(),
					each.dueMillis(), each.latestMillis(), each.messages(), each.bytes() })
			.toList();
		int[] types = { Types.VARCHAR, Types.VARCHAR, Types.VARCHAR, Types.VARCHAR, Types.BIGINT, Types.BIGINT,
				Types.INTEGER, Types.VARBINARY };
		return run(() -> {
			this.transactions.executeWithoutResult((status) -> this.template.batchUpdate(this.insert, rows, types));
			this.written.add(rows.size());
			return null;
		});
	}

	@Override
	public CompletableFuture<Map<Key, byte[]>> load(Collection<Key> keys) {
		Map<String, List<String>> numbers = keys.stream()
			.collect(Collectors.groupingBy(Key::queue, Collectors.mapping(Key::chunk, Collectors.toList())));
		return run(() -> {
			Map<Key, byte[]> found = new HashMap<>();
			this.transactions.executeWithoutResult((status) -> numbers.forEach((queue, chunks) -> this.jdbc
				.sql("SELECT chunk, sha1, packed FROM redelay_cold_chunk WHERE queue = :queue AND chunk IN (:chunks)")
				.param("queue", queue)
				.param("chunks", chunks)
				.query((row) -> {
					found.put(new Key(queue, row.getString("chunk"), row.getString("sha1")), row.getBytes("packed"));
				})));
			found.keySet().retainAll(keys);
			this.loaded.add(found.size());
			return found;
		});
	}

	@Override
	public CompletableFuture<List<Kept>> list(Collection<String> owners, long after, int most) {
		return run(() -> Objects.requireNonNull(this.transactions.execute((status) -> this.jdbc
			.sql("SELECT id, queue, chunk, sha1, leaving_since FROM redelay_cold_chunk WHERE id > :after AND owner IN "
					+ "(:owners) ORDER BY id LIMIT :most")
			.param("after", after)
			.param("owners", owners)
			.param("most", most)
			.query((row, index) -> new Kept(row.getLong("id"),
					new Key(row.getString("queue"), row.getString("chunk"), row.getString("sha1")),
					row.getObject("leaving_since") != null))
			.list())));
	}

	/**
	 * A row that is saved again between the look at Redis and this leaves no more, and so
	 * is not deleted.
	 */
	@Override
	public CompletableFuture<Integer> note(Collection<Kept> needed, Collection<Kept> unneeded, Duration grace) {
		List<Long> leaving = unneeded.stream().map(Kept::row).toList();
		return run(() -> {
			int gone = Objects.requireNonNull(this.transactions.execute((status) -> {
				change("UPDATE redelay_cold_chunk SET leaving_since = NULL WHERE id IN (:rows)",
						needed.stream().map(Kept::row).toList());
				int deletions = change("DELETE FROM redelay_cold_chunk WHERE id IN (:rows) AND leaving_since <= "
						+ this.now + " - " + grace.toMillis(), leaving);
				change("UPDATE redelay_cold_chunk SET leaving_since = " + this.now
						+ " WHERE id IN (:rows) AND leaving_since IS NULL", leaving);
				return deletions;
			}));
			this.deleted.add(gone);
			return gone;
		});
	}

	private int change(String sql, List<Long> rows) {
		return rows.isEmpty() ? 0 : this.jdbc.sql(sql).param("rows", rows).update();
	}

	private <T> CompletableFuture<T> run(Supplier<T> request) {
		try {
			return CompletableFuture.supplyAsync(request, this.threads)
				.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Returns how many chunks were written.
	 * @return how many since it was created
	 */
	public long written() {
		return this.written.sum();
	}

	/**
	 * Returns how many chunks were loaded.
	 * @return how many since it was created
	 */
	public long loaded() {
		return this.loaded.sum();
	}

	/**
	 * Returns how many chunks were deleted.
	 * @return how many since it was created
	 */
	public long deleted() {
		return this.deleted.sum();
	}

	/**
	 * Ends its threads after their present requests.
	 */
	@Override
	public void close() {
		this.threads.shutdown();
	}

}
