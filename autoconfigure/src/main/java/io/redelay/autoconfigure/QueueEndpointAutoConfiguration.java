package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.redelay.guard.RedisFitness;
import io.redelay.guard.ServerFitness;
import io.redelay.queue.PayloadMasker;
import io.redelay.queue.actuate.AuditTrail;
import io.redelay.queue.actuate.DashboardEndpoint;
import io.redelay.queue.actuate.DirectoryReads;
import io.redelay.queue.actuate.EndpointHints;
import io.redelay.queue.actuate.EndpointRights;
import io.redelay.queue.actuate.MessageMasking;
import io.redelay.queue.actuate.MessageReads;
import io.redelay.queue.actuate.QueueReads;
import io.redelay.queue.actuate.QueueWrites;
import io.redelay.queue.actuate.QueuesEndpoint;
import io.redelay.queue.actuate.QueuesWebExtension;
import io.redelay.queue.actuate.RedisWatch;
import io.redelay.queue.actuate.RequestParametersAdvisor;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.recurring.RecurringMessages;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;
import org.springframework.boot.actuate.endpoint.invoke.convert.ConversionServiceParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Auto-configuration for the endpoints of the actuator that show queues, and for the page
 * that is served beside them. Nothing of it is there unless the application exposes it:
 * {@code management.endpoints.web.exposure.include=queues,locks,redelay}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = QueueAutoConfiguration.class,
		afterName = "org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration")
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class, QueuesEndpoint.class })
@ConditionalOnBean(QueueAdmin.class)
@EnableConfigurationProperties({ QueueEndpointProperties.class, RedelayHealthProperties.class,
		RedelayGuardProperties.class })
@ImportRuntimeHints(EndpointHints.class)
public final class QueueEndpointAutoConfiguration {

	/**
	 * The page asks every five seconds; a Redis that is away is known about by then.
	 */
	private static final Duration STATUS_INTERVAL = Duration.ofSeconds(4);

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	EndpointRights redelayEndpointRights(QueueEndpointProperties properties,
			ObjectProvider<EndpointAccessResolver> accesses) {
		EndpointAccessResolver resolver = accesses.getIfAvailable(() -> (id, byDefault) -> byDefault);
		return new EndpointRights(resolver.accessFor(EndpointId.of("queues"), Access.READ_ONLY),
				properties.writeRoles(), properties.showPayloads(), properties.payloadRoles(), properties.showStacks(),
				properties.stackRoles());
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueReads redelayQueueReads(QueueAdmin admin, QueueSnapshots snapshots, EndpointRights rights,
			ObjectProvider<RedissonClient> redisson, RedelayHealthProperties health, RedelayGuardProperties guard) {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("redelay-status-");
		executor.setDaemon(true);
		RedissonClient client = redisson.getIfUnique();
		Supplier<List<ServerFitness>> servers = (client != null)
				? new RedisFitness(client, guard.toSettings(), health.memoryThreshold())::examine : List::of;
		return new QueueReads(admin, snapshots, rights,
				new RedisWatch(servers, STATUS_INTERVAL, executor, System::nanoTime));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@ConditionalOnAvailableEndpoint
	QueuesEndpoint queuesEndpoint(QueueReads reads) {
		return new QueuesEndpoint(reads);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@ConditionalOnAvailableEndpoint(endpoint = QueuesEndpoint.class, exposure = EndpointExposure.WEB)
	QueuesWebExtension queuesWebExtension(QueueReads reads, QueueAdmin admin, QueueSnapshots snapshots,
			EndpointRights rights, PayloadMasker masker, ObjectProvider<RecurringMessages> recurring,
			ApplicationEventPublisher publisher) {
		MessageMasking masking = new MessageMasking(masker);
		return new QueuesWebExtension(reads, new MessageReads(admin, rights, masking),
				new DirectoryReads(admin, recurring.getIfAvailable(), rights, masking, snapshots),
				new QueueWrites(admin, rights, new AuditTrail(publisher), masking, recurring.getIfAvailable()));
	}

	@Bean
	@ConditionalOnBean(value = QueuesWebExtension.class, search = SearchStrategy.CURRENT)
	RequestParametersAdvisor redelayRequestParametersAdvisor(ObjectProvider<ParameterValueMapper> mapper) {
		return new RequestParametersAdvisor(mapper.getIfAvailable(ConversionServiceParameterValueMapper::new));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@ConditionalOnAvailableEndpoint
	DashboardEndpoint redelayDashboardEndpoint(ObjectProvider<PathMappedEndpoints> paths, EndpointRights rights) {
		return new DashboardEndpoint(paths::getObject, rights);
	}

}
