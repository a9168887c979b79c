package io.redelay.outbox.jdbc;

import java.util.List;

import javax.sql.DataSource;

import io.redelay.log.PlainLog;
import io.redelay.outbox.OutboxException;
import org.apache.commons.logging.Log;

import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Brings the schema of the outbox up to date: carries out the numbered scripts that the
 * database has not had yet, and notes their numbers in the table
 * {@code redelay_outbox_version}. Several instances may do so at the same time.
 */
final class OutboxMigrations {

	/**
	 * The scripts, the first one brings version 1.
	 */
	static final List<String> SCRIPTS = List.of("V1__create_redelay_outbox.sql", "V2__create_redelay_cold_chunk.sql");

	private static final Log logger = PlainLog.of(OutboxMigrations.class);

	/**
	 * An instance fails if another one is creating the table, and finds the table at a
	 * later attempt.
	 */
	private static final int ATTEMPTS = 5;

	private final DataSource dataSource;

	private final JdbcClient jdbc;

	private final TransactionTemplate transactions;

	private final String folder;

	private final List<String> scripts;

	private final OutboxDialect dialect;

	OutboxMigrations(DataSource dataSource, OutboxDialect dialect) {
		this(dataSource, dialect, dialect.folder(), SCRIPTS);
	}

	OutboxMigrations(DataSource dataSource, OutboxDialect dialect, String folder, List<String> scripts) {
		this.dataSource = dataSource;
		this.jdbc = JdbcClient.create(dataSource);
		this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.dialect = dialect;
		this.folder = folder;
		this.scripts = scripts;
	}

	void apply() {
		for (int attempt = 1;; attempt++) {
			try {
				applyMissing();
				return;
			}
			catch (DataAccessException ex) {
				if (attempt == ATTEMPTS) {
					throw ex;
				}
				logger.debug("The schema of the outbox could not be brought up to date, and is looked at again", ex);
			}
		}
	}

	private void applyMissing() {
		committed(this.jdbc
			.sql("CREATE TABLE IF NOT EXISTS redelay_outbox_version (version INTEGER NOT NULL PRIMARY KEY, "
					+ "applied_at BIGINT NOT NULL)"));
		int present = version();
		for (int version = present + 1; version <= this.scripts.size(); version++) {
			ResourceDatabasePopulator script = new ResourceDatabasePopulator(
					new ClassPathResource(this.folder + this.scripts.get(version - 1)));
			script.execute(this.dataSource);
			committed(this.jdbc
				.sql("INSERT INTO redelay_outbox_version (version, applied_at) VALUES (:version, " + this.dialect.now()
						+ ")")
				.param("version", version));
			logger.info("The schema of the outbox has version " + version + " now");
		}
	}

	/**
	 * A pool may give out connections that commit nothing by themselves.
	 */
	private void committed(JdbcClient.StatementSpec change) {
		this.transactions.executeWithoutResult((status) -> change.update());
	}

	int version() {
		return this.jdbc.sql("SELECT COALESCE(MAX(version), 0) FROM redelay_outbox_version")
			.query(Integer.class)
			.single();
	}

	/**
	 * Refuses a database that has no outbox.
	 */
	void check() {
		try {
			this.jdbc.sql("SELECT COUNT(*) FROM redelay_outbox WHERE id < 0").query(Long.class).single();
		}
		catch (DataAccessException ex) {
			throw new OutboxException(
					"The database of the outbox has no table 'redelay_outbox' that can be read: "
							+ ex.getMostSpecificCause().getMessage(),
					"Set redelay.outbox.initialize-schema to 'always', or carry out the scripts in classpath:"
							+ this.folder + " with Flyway, Liquibase or by hand");
		}
	}

}
