package io.redelay.outbox.jdbc;

import java.util.UUID;

import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The numbered scripts on H2.
 */
class OutboxMigrationsTests extends MigrationsContract {

	private final DriverManagerDataSource database = new DriverManagerDataSource(
			"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");

	@Test
	void carriesOutWhatIsMissing() {
		carriesOutWhatIsMissing(this.database);
	}

	@Test
	void severalMayStartAtTheSameTime() {
		severalMayStartAtTheSameTime(this.database);
	}

}
