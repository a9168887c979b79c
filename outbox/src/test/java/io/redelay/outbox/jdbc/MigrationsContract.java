package io.redelay.outbox.jdbc;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the scripts of a schema do, on any database.
 */
abstract class MigrationsContract {

	void carriesOutWhatIsMissing(DataSource database) {
		OutboxDialect dialect = OutboxDialect.of(database);
		assertThat(OutboxMigrations.SCRIPTS)
			.allSatisfy((script) -> assertThat(new ClassPathResource(dialect.folder() + script).exists()).isTrue());
		migrations(database, "V1__create_something.sql").apply();
		JdbcClient.create(database).sql("INSERT INTO something (id) VALUES (1)").update();
		OutboxMigrations newer = migrations(database, "V1__create_something.sql", "V2__add_a_column.sql");
		newer.apply();
		newer.apply();
		assertThat(newer.version()).isEqualTo(2);
		assertThat(JdbcClient.create(database).sql("SELECT added FROM something").query(Integer.class).single())
			.isEqualTo(7);
	}

	private static OutboxMigrations migrations(DataSource database, String... scripts) {
		return new OutboxMigrations(database, OutboxDialect.of(database), "io/redelay/outbox/migrations/",
				List.of(scripts));
	}

	void severalMayStartAtTheSameTime(DataSource database) {
		CompletableFuture.allOf(IntStream.range(0, 4).mapToObj((i) -> CompletableFuture.runAsync(() -> {
			OutboxMigrations migrations = new OutboxMigrations(database, OutboxDialect.of(database));
			migrations.apply();
			migrations.check();
		}, (task) -> new Thread(task).start())).toArray(CompletableFuture<?>[]::new)).join();
		assertThat(JdbcClient.create(database)
			.sql("SELECT version FROM redelay_outbox_version")
			.query(Integer.class)
			.list()).containsExactlyInAnyOrderElementsOf(
					IntStream.rangeClosed(1, OutboxMigrations.SCRIPTS.size()).boxed().toList());
	}

}
