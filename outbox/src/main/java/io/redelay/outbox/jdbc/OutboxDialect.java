package io.redelay.outbox.jdbc;

import java.util.Locale;

import javax.sql.DataSource;

import io.redelay.outbox.OutboxException;

import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * The differences between the databases that can have an outbox.
 */
enum OutboxDialect {

	H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)"),

	POSTGRESQL("CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)"),

	/**
	 * MariaDB as well.
	 */
	MYSQL("CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)");

	private final String now;

	OutboxDialect(String now) {
		this.now = now;
	}

	/**
	 * An expression for the database's clock, in milliseconds since 1970.
	 */
	String now() {
		return this.now;
	}

	/**
	 * Where its scripts are.
	 */
	String folder() {
		return "io/redelay/outbox/" + name().toLowerCase(Locale.ROOT) + "/";
	}

	static OutboxDialect of(DataSource dataSource) {
		try {
			String product = JdbcUtils.commonDatabaseName(
					JdbcUtils.extractDatabaseMetaData(dataSource, (metaData) -> metaData.getDatabaseProductName()));
			return of((product != null) ? product : "");
		}
		catch (MetaDataAccessException ex) {
			throw new OutboxException(
					"The outbox cannot find out which database it is in, for there is no connection to it: "
							+ ex.getMostSpecificCause().getMessage(),
					"Correct the DataSource, or set redelay.outbox.enabled to false");
		}
	}

	private static OutboxDialect of(String product) {
		return switch (product) {
			case "H2" -> H2;
			case "PostgreSQL" -> POSTGRESQL;
			case "MySQL", "MariaDB" -> MYSQL;
			default ->
				throw new OutboxException("The outbox does not know the database '" + product + "' of its DataSource",
						"Use one of H2, PostgreSQL, MySQL and MariaDB, or set redelay.outbox.enabled to false");
		};
	}

}
