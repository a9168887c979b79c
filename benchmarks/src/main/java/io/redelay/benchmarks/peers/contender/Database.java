package io.redelay.benchmarks.peers.contender;

import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * An empty database with a pool of connections.
 *
 * @param dataSource the pool
 * @param isPostgres whether it is PostgreSQL
 */
record Database(HikariDataSource dataSource, boolean isPostgres) implements AutoCloseable {

	private static final int CONNECTIONS = 32;

	/**
	 * Creates a database in the memory of this JVM.
	 */
	static Database h2() {
		return new Database(pool("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID())), false);
	}

	/**
	 * Empties a database of PostgreSQL.
	 * @param url where it is
	 */
	static Database postgres(String url) {
		Database database = new Database(pool(url), true);
		JdbcClient jdbc = JdbcClient.create(database.dataSource);
		jdbc.sql("drop schema public cascade").update();
		jdbc.sql("create schema public").update();
		return database;
	}

	private static HikariDataSource pool(String url) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setMaximumPoolSize(CONNECTIONS);
		return new HikariDataSource(config);
	}

	@Override
	public void close() {
		if (!this.isPostgres) {
			JdbcClient.create(this.dataSource).sql("shutdown").update();
		}
		this.dataSource.close();
	}

}
