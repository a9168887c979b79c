package io.redelay.outbox.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.redelay.outbox.OutboxEntry;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.send.PreparedMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The table of the outbox. Writing uses the connection of the surrounding transaction;
 * relays have short transactions of their own, none of which stays open during a request
 * to Redis.
 */
final class OutboxTable {

	private static final int FAILURE_LENGTH = 1000;

	private static final String ENTRY = "SELECT id, destination, topic, message_id, uid, ordering_key, written_at, "
			+ "attempts, free_at, failure FROM redelay_outbox ";

	private static final RowMapper<OutboxEntry> ENTRIES = OutboxTable::entry;

	private final JdbcTemplate template;

	private final JdbcClient jdbc;

	private final TransactionTemplate transactions;

	private final String now;

	OutboxTable(DataSource dataSource, OutboxDialect dialect) {
		this.template = new JdbcTemplate(dataSource);
		this.jdbc = JdbcClient.create(this.template);
		this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.now = dialect.now();
	}

	/**
	 * Adds messages in the present transaction.
	 */
	void add(List<PreparedMessage> messages, boolean topic) {
		this.template.batchUpdate(
				"INSERT INTO redelay_outbox (uid, destination, topic, message_id, ordering_key, delay_millis, message, "
						+ "message_size, written_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, " + this.now + ")",
				messages.stream().map((message) -> values(message.message(), message.entry(), topic)).toList(),
				new int[] { Types.VARCHAR, Types.VARCHAR, Types.BOOLEAN, Types.VARCHAR, Types.VARCHAR, Types.BIGINT,
						Types.VARCHAR, Types.INTEGER });
	}

	private static @Nullable Object[] values(OutboundMessage message, NewMessage entry, boolean topic) {
		String text = MessageText.write(message.queue(), entry);
		Duration delay = entry.delay();
		String orderingKey = (entry.keys() != null) ? entry.keys().orderingKey() : null;
		return new @Nullable Object[] { entry.uid(), message.queue(), topic, entry.id(), orderingKey,
				(delay != null) ? delay.plusNanos(999_999).toMillis() : null, text,
				text.getBytes(StandardCharsets.UTF_8).length };
	}

	/**
	 * Adds messages in a transaction of their own.
	 */
	void addAlone(List<PreparedMessage> messages, boolean topic) {
		this.transactions.executeWithoutResult((status) -> add(messages, topic));
	}

	/**
	 * Takes the next messages, which other relays leave alone for some time. A message
	 * with an ordering key is taken only if those in front of it are taken by the same
	 * call, or are gone.
	 * @param most how many at most
	 * @param mostBytes how large they are together at most, unless it is a single one
	 * @param lease for how long other relays leave them alone
	 * @return the messages in the order in which they were written
	 */
	List<OutboxRow> take(int most, long mostBytes, Duration lease) {
		return Objects.requireNonNull(this.transactions.execute((status) -> {
			Set<Long> taken = inOrder(cut(free(most), mostBytes));
			if (taken.isEmpty()) {
				return List.<OutboxRow>of();
			}
			this.jdbc
				.sql("UPDATE redelay_outbox SET attempts = attempts + 1, seen_at = COALESCE(seen_at, " + this.now
						+ "), free_at = " + this.now + " + :lease WHERE id IN (:taken)")
				.param("lease", lease.toMillis())
				.param("taken", taken)
				.update();
			return this.jdbc
				.sql("SELECT id, destination, topic, ordering_key, attempts, delay_millis, seen_at, " + this.now
						+ " AS present, message FROM redelay_outbox WHERE id IN (:taken) ORDER BY id")
				.param("taken", taken)
				.query(OutboxTable::row)
				.list();
		}));
	}

	/**
	 * Locks messages that no relay has in hand and none of whose predecessors waits.
	 */
	private List<Candidate> free(int most) {
		return this.jdbc
			.sql("SELECT o.id, o.destination, o.topic, o.ordering_key, o.message_size FROM redelay_outbox o "
					+ "WHERE o.free_at <= " + this.now + " AND (o.ordering_key IS NULL OR NOT EXISTS ("
					+ "SELECT 1 FROM redelay_outbox e WHERE e.destination = o.destination AND e.topic = o.topic "
					+ "AND e.ordering_key = o.ordering_key AND e.id < o.id AND e.free_at > " + this.now
					+ ")) ORDER BY o.id LIMIT :most FOR UPDATE SKIP LOCKED")
			.param("most", most)
			.query((row, index) -> candidate(row))
			.list();
	}

	private static List<Candidate> cut(List<Candidate> candidates, long mostBytes) {
		List<Candidate> kept = new ArrayList<>();
		long bytes = 0;
		for (Candidate candidate : candidates) {
			bytes += candidate.size();
			if (!kept.isEmpty() && bytes > mostBytes) {
				break;
			}
			kept.add(candidate);
		}
		return kept;
	}

	/**
	 * Leaves out messages with a predecessor that another relay has locked or has just
	 * taken.
	 */
	private Set<Long> inOrder(List<Candidate> candidates) {
		Set<Long> taken = candidates.stream().map(Candidate::number).collect(Collectors.toCollection(HashSet::new));
		List<Candidate> keyed = candidates.stream().filter((candidate) -> candidate.line() != null).toList();
		if (keyed.isEmpty()) {
			return taken;
		}
		long last = keyed.get(keyed.size() - 1).number();
		Set<String> keys = keyed.stream()
			.map((candidate) -> Objects.requireNonNull(candidate.line()).orderingKey())
			.collect(Collectors.toSet());
		List<Candidate> all = this.jdbc
			.sql("SELECT id, destination, topic, ordering_key, message_size FROM redelay_outbox "
					+ "WHERE ordering_key IN (:keys) AND destination IN (:destinations) AND id <= :last ORDER BY id")
			.param("keys", keys)
			.param("destinations", keyed.stream().map((candidate) -> candidate.to().name()).collect(Collectors.toSet()))
			.param("last", last)
			.query((row, index) -> candidate(row))
			.list();
		Set<OutboxRow.Line> cut = new HashSet<>();
		for (Candidate candidate : all) {
			OutboxRow.Line line = Objects.requireNonNull(candidate.line());
			if (!taken.contains(candidate.number())) {
				cut.add(line);
			}
			else if (cut.contains(line)) {
				taken.remove(candidate.number());
			}
		}
		return taken;
	}

	/**
	 * Removes messages that were sent.
	 */
	void remove(Collection<Long> numbers) {
		committed(this.jdbc.sql("DELETE FROM redelay_outbox WHERE id IN (:numbers)").param("numbers", numbers));
	}

	/**
	 * Releases messages whose sending failed.
	 * @param wait how long they are left alone
	 * @param failure why
	 */
	void failed(Collection<Long> numbers, Duration wait, String failure) {
		committed(this.jdbc
			.sql("UPDATE redelay_outbox SET free_at = " + this.now
					+ " + :wait, failure = :failure WHERE id IN (:numbers)")
			.param("wait", wait.toMillis())
			.param("failure", (failure.length() > FAILURE_LENGTH) ? failure.substring(0, FAILURE_LENGTH) : failure)
			.param("numbers", numbers));
	}

	/**
	 * Gives messages back as they were.
	 */
	void release(Collection<Long> numbers) {
		committed(this.jdbc.sql("UPDATE redelay_outbox SET free_at = 0, attempts = attempts - 1 WHERE id IN (:numbers)")
			.param("numbers", numbers));
	}

	/**
	 * Changes rows, and commits that unless a transaction surrounds the call: a pool may
	 * give out connections that commit nothing by themselves.
	 */
	private int committed(JdbcClient.StatementSpec change) {
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			return change.update();
		}
		return Objects.requireNonNull(this.transactions.execute((status) -> change.update()));
	}

	long count(boolean failed) {
		return this.jdbc.sql("SELECT COUNT(*) FROM redelay_outbox" + (failed ? " WHERE failure IS NOT NULL" : ""))
			.query(Long.class)
			.single();
	}

	@Nullable Duration oldest() {
		return this.jdbc.sql("SELECT " + this.now + " - written_at FROM redelay_outbox ORDER BY id LIMIT 1")
			.query(Long.class)
			.optional()
			.map((millis) -> Duration.ofMillis(Math.max(millis, 0)))
			.orElse(null);
	}

	List<OutboxEntry> list(long after, int limit, boolean failed) {
		return this.jdbc
			.sql(ENTRY + "WHERE id > :after" + (failed ? " AND failure IS NOT NULL" : "") + " ORDER BY id LIMIT :limit")
			.param("after", after)
			.param("limit", limit)
			.query(ENTRIES)
			.list();
	}

	/**
	 * Makes a message that failed the next one.
	 */
	boolean retry(long number) {
		return committed(
				this.jdbc.sql("UPDATE redelay_outbox SET free_at = 0 WHERE id = :number AND failure IS NOT NULL")
					.param("number", number)) > 0;
	}

	boolean delete(long number) {
		return committed(this.jdbc.sql("DELETE FROM redelay_outbox WHERE id = :number").param("number", number)) > 0;
	}

	private static Candidate candidate(ResultSet row) throws SQLException {
		return new Candidate(row.getLong("id"), destination(row), row.getString("ordering_key"),
				row.getInt("message_size"));
	}

	private static OutboxRow.Destination destination(ResultSet row) throws SQLException {
		return new OutboxRow.Destination(row.getString("destination"), row.getBoolean("topic"));
	}

	private static OutboxRow row(ResultSet row, int index) throws SQLException {
		long delay = row.getLong("delay_millis");
		Duration left = row.wasNull() ? null : Duration
			.ofMillis(Math.min(Math.max(delay - row.getLong("present") + row.getLong("seen_at"), 0), delay));
		return new OutboxRow(row.getLong("id"), destination(row), row.getString("ordering_key"), row.getInt("attempts"),
				left, row.getString("message"));
	}

	private static OutboxEntry entry(ResultSet row, int index) throws SQLException {
		long free = row.getLong("free_at");
		String id = row.getString("message_id");
		return new OutboxEntry(row.getLong("id"), row.getString("destination"), row.getBoolean("topic"),
				(id != null) ? id : row.getString("uid"), row.getString("ordering_key"),
				Instant.ofEpochMilli(row.getLong("written_at")), row.getInt("attempts"),
				(free > 0) ? Instant.ofEpochMilli(free) : null, row.getString("failure"));
	}

	private record Candidate(long number, OutboxRow.Destination to, @Nullable String orderingKey, int size) {

		OutboxRow.@Nullable Line line() {
			return (this.orderingKey != null) ? new OutboxRow.Line(this.to, this.orderingKey) : null;
		}

	}

}
