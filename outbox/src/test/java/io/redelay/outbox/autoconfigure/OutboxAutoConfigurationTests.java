package io.redelay.outbox.autoconfigure;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.outbox.OutboxAdmin;
import io.redelay.outbox.OutboxDataSource;
import io.redelay.outbox.OutboxException;
import io.redelay.outbox.OutboxListener;
import io.redelay.outbox.OutboxOperations;
import io.redelay.queue.Durability;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendingOptions;
import io.redelay.queue.script.admin.ColdChunks;
import io.redelay.queue.send.QueueTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * The wiring of the outbox, and what it refuses.
 */
class OutboxAutoConfigurationTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(OutboxAutoConfiguration.class))
		.withBean(QueueTemplate.class, () -> mock(QueueTemplate.class))
		.withPropertyValues("redelay.outbox.relays=0");

	@Test
	void isThereWhenThereIsADataSource() {
		this.application.withBean(DataSource.class, OutboxAutoConfigurationTests::database)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(OutboxOperations.class)
				.hasSingleBean(OutboxAdmin.class));
	}

	@Test
	void itsRelaysLearnWhenRedisIsBack() {
		this.application.withBean(DataSource.class, OutboxAutoConfigurationTests::database)
			.run((context) -> verify(context.getBean(QueueTemplate.class)).whenRedisIsBack(any()));
	}

	@Test
	void isMeasuredWhenThereIsAMeterRegistry() {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		this.application.withBean(DataSource.class, OutboxAutoConfigurationTests::database)
			.withBean(MeterRegistry.class, () -> registry)
			.run((context) -> {
				context.getBeansOfType(MeterBinder.class).values().forEach((binder) -> binder.bindTo(registry));
				assertThat(registry.get("redelay.outbox.oldest").gauge().value()).isZero();
				JdbcClient.create(context.getBean(DataSource.class))
					.sql("INSERT INTO redelay_outbox (uid, destination, topic, message, message_size, written_at) "
							+ "VALUES ('u', 'orders', FALSE, '{}', 2, 0)")
					.update();
				assertThat(registry.get("redelay.outbox.oldest").gauge().value()).isGreaterThan(1e9);
				OutboxListener listener = context.getBean(OutboxListener.class);
				listener.onRelayed("orders", 3);
				listener.onFailed("orders", 2, new IllegalStateException());
				assertThat(registry.get("redelay.outbox.relayed").tag("destination", "orders").counter().count())
					.isEqualTo(3);
				assertThat(registry.get("redelay.outbox.failures").tag("destination", "orders").counter().count())
					.isEqualTo(2);
			});
	}

	@Test
	void hasTheContentOfColdMessages() {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		this.application.withBean(DataSource.class, OutboxAutoConfigurationTests::database)
			.withBean(MeterRegistry.class, () -> registry)
			.withPropertyValues("redelay.queue.cold-horizon=7d")
			.run((context) -> {
				ColdChunks database = context.getBean(ColdChunks.class);
				ColdChunks.Key key = new ColdChunks.Key("orders", "1", "a".repeat(40));
				database.save(List.of(new ColdChunks.Saved("redis", key, 1, 2, 3, new byte[] { 4 }))).join();
				assertThat(database.load(List.of(key)).join()).containsOnlyKeys(key);
				context.getBeansOfType(MeterBinder.class).values().forEach((binder) -> binder.bindTo(registry));
				assertThat(registry.get("redelay.outbox.cold.written").functionCounter().count()).isEqualTo(1);
				assertThat(registry.get("redelay.outbox.cold.loaded").functionCounter().count()).isEqualTo(1);
				assertThat(registry.get("redelay.outbox.cold.deleted").functionCounter().count()).isZero();
			});
	}

	@Test
	void aDatabaseWithoutTheTableOfColdMessagesIsRefusedIfThereAreToBeAny() {
		DataSource before = database();
		JdbcClient.create(before).sql("CREATE TABLE redelay_outbox (id BIGINT)").update();
		this.application.withBean(DataSource.class, () -> before)
			.withPropertyValues("redelay.outbox.initialize-schema=never")
			.run((context) -> assertThat(context).hasNotFailed());
		this.application.withBean(DataSource.class, () -> before)
			.withPropertyValues("redelay.outbox.initialize-schema=never", "redelay.queue.cold-horizon=7d")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(OutboxException.class)
				.hasMessageContaining("no table 'redelay_cold_chunk'")
				.hasMessageContaining("classpath:io/redelay/outbox/h2/", "redelay.queue.cold-horizon to 0"));
	}

	@Test
	void isNotThereWhenItIsSwitchedOff() {
		this.application.withPropertyValues("redelay.outbox.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(OutboxOperations.class));
	}

	@Test
	void anApplicationWithoutADataSourceFailsWithWhatToDo() {
		this.application.run((context) -> {
			FailureAnalysis analysis = new OutboxFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("redelay-outbox is on the class path")
				.contains("no DataSource bean");
			assertThat(analysis.getAction()).contains("spring.datasource.url", "redelay.outbox.enabled to false");
		});
	}

	@Test
	void ofSeveralDataSourcesOneMustBeMarked() {
		this.application.withBean("orders", DataSource.class, OutboxAutoConfigurationTests::database)
			.withBean("archive", DataSource.class, OutboxAutoConfigurationTests::database)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("orders")
				.hasMessageContaining("archive")
				.hasMessageContaining("@OutboxDataSource"));
		this.application.withUserConfiguration(TwoDatabases.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(count(context.getBean("orders", DataSource.class))).isZero();
			assertThatExceptionOfType(org.springframework.dao.DataAccessException.class)
				.isThrownBy(() -> count(context.getBean("archive", DataSource.class)));
		});
	}

	private static long count(DataSource dataSource) {
		return JdbcClient.create(dataSource).sql("SELECT COUNT(*) FROM redelay_outbox").query(Long.class).single();
	}

	@Test
	void aDatabaseWithoutTheTableIsRefused() {
		this.application.withBean(DataSource.class, OutboxAutoConfigurationTests::database)
			.withPropertyValues("redelay.outbox.initialize-schema=never")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(OutboxException.class)
				.hasMessageContaining("no table 'redelay_outbox'")
				.hasMessageContaining("redelay.outbox.initialize-schema to 'always'")
				.hasMessageContaining("classpath:io/redelay/outbox/h2/"));
	}

	@Test
	void anUnknownDatabaseIsRefused() throws Exception {
		DataSource dataSource = mock(DataSource.class);
		Connection connection = mock(Connection.class);
		DatabaseMetaData metaData = mock(DatabaseMetaData.class);
		given(dataSource.getConnection()).willReturn(connection);
		given(connection.getMetaData()).willReturn(metaData);
		given(metaData.getDatabaseProductName()).willReturn("Derby");
		this.application.withBean(DataSource.class, () -> dataSource)
			.withPropertyValues("redelay.outbox.initialize-schema=always")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("does not know the database 'Derby'"));
	}

	@Test
	void aWindowThatIsTooShortIsRefused() {
		this.application.withBean(DataSource.class, OutboxAutoConfigurationTests::database)
			.withPropertyValues("redelay.outbox.window=90s")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("'redelay.outbox.window' must be at least twice"));
	}

	@Test
	void aMessageThatCouldNotGoWithTheTransactionIsRefused() {
		this.application.withUserConfiguration(TwoDatabases.class).run((context) -> {
			OutboxOperations outbox = context.getBean(OutboxOperations.class);
			assertThatExceptionOfType(OutboxException.class).isThrownBy(() -> outbox.send("orders", "o-1"))
				.withMessageContaining("OutboundMessage to 'orders'")
				.withMessageContaining("no transaction surrounds the call")
				.withMessageContaining("redelay.outbox.require-transaction");
			new TransactionTemplate(new JdbcTransactionManager(context.getBean("archive", DataSource.class)))
				.executeWithoutResult((status) -> assertThatExceptionOfType(OutboxException.class)
					.isThrownBy(() -> outbox.publish("orders", "o-1"))
					.withMessageContaining("not one of the DataSource that has the outbox"));
			OutboundMessage message = OutboundMessage.to("orders", "o-1");
			assertThatExceptionOfType(OutboxException.class).isThrownBy(() -> outbox.send(message.inTransaction(false)))
				.withMessageContaining("Leave out inTransaction(false)");
			assertThatExceptionOfType(OutboxException.class)
				.isThrownBy(() -> outbox.send(message.durability(Durability.replicas(1, Duration.ofSeconds(1)))))
				.withMessageContaining("asks for copies in Redis");
			// Whatever it is: more may be added than there is now.
			SendingOptions options = mock(SendingOptions.class);
			given(options.inTransaction()).willReturn(null);
			OutboundMessage special = mock(OutboundMessage.class);
			given(special.sending()).willReturn(options);
			assertThatExceptionOfType(OutboxException.class).isThrownBy(() -> outbox.send(special))
				.withMessageContaining("only a send at once can do");
		});
	}

	private static DataSource database() {
		return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		@Bean
		@OutboxDataSource
		DataSource orders() {
			return database();
		}

		@Bean
		DataSource archive() {
			return database();
		}

	}

}
