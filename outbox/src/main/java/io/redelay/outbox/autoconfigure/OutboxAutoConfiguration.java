package io.redelay.outbox.autoconfigure;

import java.time.Duration;
import java.util.function.ToDoubleFunction;

import javax.sql.DataSource;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.outbox.MicrometerOutboxListener;
import io.redelay.outbox.OutboxAdmin;
import io.redelay.outbox.OutboxDataSource;
import io.redelay.outbox.OutboxException;
import io.redelay.outbox.OutboxListener;
import io.redelay.outbox.OutboxOperations;
import io.redelay.outbox.jdbc.ColdChunkTable;
import io.redelay.outbox.jdbc.Outbox;
import io.redelay.queue.script.admin.ColdChunks;
import io.redelay.queue.send.QueueTemplate;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for the outbox in the database of the application's
 * {@link DataSource}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = QueueAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnBooleanProperty(name = { "redelay.outbox.enabled", "redelay.queue.enabled" }, matchIfMissing = true)
@EnableConfigurationProperties(RedelayOutboxProperties.class)
public final class OutboxAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@DependsOnDatabaseInitialization
	Outbox redelayOutbox(@OutboxDataSource ObjectProvider<DataSource> marked, ObjectProvider<DataSource> dataSources,
			ObjectProvider<QueueTemplate> queues, RedelayOutboxProperties properties,
			ObjectProvider<OutboxListener> listeners) {
		QueueTemplate template = queues.getIfAvailable();
		if (template == null) {
			throw new OutboxException("The outbox has no QueueTemplate bean that could send its messages",
					"Remove the application's own QueueOperations bean or make it a QueueTemplate, configure Redis if "
							+ "it is not there, or set redelay.outbox.enabled to false");
		}
		DataSource dataSource = dataSource(marked, dataSources);
		return new Outbox(dataSource, properties.toSettings(EmbeddedDatabaseConnection.isEmbedded(dataSource)),
				template, listeners.orderedStream().toList());
	}

	/**
	 * Made without the outbox, as the queues that the outbox needs may need it.
	 */
	@Bean
	@ConditionalOnMissingBean(value = ColdChunks.class, search = SearchStrategy.CURRENT)
	@DependsOnDatabaseInitialization
	ColdChunkTable redelayColdChunks(@OutboxDataSource ObjectProvider<DataSource> marked,
			ObjectProvider<DataSource> dataSources, RedelayOutboxProperties properties, Environment environment) {
		DataSource dataSource = dataSource(marked, dataSources);
		boolean initialize = properties.toSettings(EmbeddedDatabaseConnection.isEmbedded(dataSource))
			.initializeSchema();
		Duration horizon = Binder.get(environment)
			.bind("redelay.queue.cold-horizon", Duration.class)
			.orElse(Duration.ZERO);
		return new ColdChunkTable(dataSource, initialize, !horizon.isZero());
	}

	private static DataSource dataSource(ObjectProvider<DataSource> marked, ObjectProvider<DataSource> dataSources) {
		DataSource dataSource = marked.getIfAvailable();
		if (dataSource != null) {
			return dataSource;
		}
		try {
			dataSource = dataSources.getIfAvailable();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new OutboxException(
					"There are several DataSource beans, and none says that it has the outbox: "
							+ ex.getBeanNamesFound(),
					"Annotate the definition of one of them with @OutboxDataSource or @Primary");
		}
		if (dataSource == null) {
			throw new OutboxException(
					"redelay-outbox is on the class path, and there is no DataSource bean whose database could have the "
							+ "outbox",
					"Set spring.datasource.url and add spring-boot-starter-jdbc and a driver, define a DataSource bean, "
							+ "remove the dependency on redelay-outbox, or set redelay.outbox.enabled to false");
		}
		return dataSource;
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	OutboxOperations outboxOperations(Outbox outbox) {
		return outbox.operations();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	OutboxAdmin outboxAdmin(Outbox outbox) {
		return outbox.admin();
	}

	@Bean
	SmartLifecycle redelayOutboxRelay(Outbox outbox) {
		return outbox.relay();
	}

	/**
	 * Counts the messages of relays, and measures how long the oldest message waits, if
	 * there is a meter registry.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	static class MetricsConfiguration {

		@Bean
		@ConditionalOnMissingBean
		MicrometerOutboxListener micrometerOutboxListener(MeterRegistry registry) {
			return new MicrometerOutboxListener(registry);
		}

		@Bean
		MeterBinder redelayColdMeters(ColdChunkTable table) {
			return (registry) -> {
				counter("written", table, ColdChunkTable::written).register(registry);
				counter("loaded", table, ColdChunkTable::loaded).register(registry);
				counter("deleted", table, ColdChunkTable::deleted).register(registry);
			};
		}

		private static FunctionCounter.Builder<ColdChunkTable> counter(String what, ColdChunkTable table,
				ToDoubleFunction<ColdChunkTable> count) {
			return FunctionCounter.builder("redelay.outbox.cold." + what, table, count)
				.baseUnit("chunks")
				.description("Chunks of packed messages " + what + " in the database");
		}

		@Bean
		MeterBinder redelayOutboxMeters(OutboxAdmin admin) {
			return (registry) -> Gauge.builder("redelay.outbox.oldest", () -> {
				Duration oldest = admin.oldest();
				return (oldest != null) ? oldest.toMillis() / 1000.0 : 0;
			}).baseUnit("seconds").description("How long the oldest message of the outbox waits").register(registry);
		}

	}

}
