package io.redelay.outbox.jdbc;

import io.redelay.outbox.TestServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The numbered scripts on PostgreSQL.
 */
class PostgresMigrationsIntegrationTests extends MigrationsContract {

	@RegisterExtension
	static final TestServers servers = TestServers.withPostgres();

	@Test
	void carriesOutWhatIsMissing() {
		carriesOutWhatIsMissing(new DriverManagerDataSource(servers.newDatabase()));
	}

	@Test
	void severalMayStartAtTheSameTime() {
		severalMayStartAtTheSameTime(new DriverManagerDataSource(servers.newDatabase()));
	}

}
