package io.redelay.autoconfigure;

import java.util.List;

import io.redelay.queue.admin.engine.ColdSweeper;
import io.redelay.queue.admin.engine.DrainedQueues;
import io.redelay.queue.admin.engine.ExpiredMessages;
import io.redelay.queue.admin.engine.ExpirySweeper;
import io.redelay.queue.admin.engine.FarSettings;
import io.redelay.queue.admin.engine.FarSweeper;
import io.redelay.queue.admin.engine.QueueForgetter;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.bundle.engine.BundleCancellation;
import io.redelay.queue.bundle.engine.BundleEnds;
import io.redelay.queue.bundle.engine.BundleSweeper;
import io.redelay.queue.claim.OutboxRelays;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.Uids;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.ColdChunks;
import io.redelay.queue.send.NextMessageRelay;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.WireGate;
import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.scheduling.QueueThreads;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * The stores of one Redis server, and what all users of its queues share.
 */
@Configuration(proxyBeanMethods = false)
record QueueStoreConfiguration(RedelayQueueProperties properties, QueueSettings settings, QueueThreads threads,
		ReplayMemory replayMemory) {

	@Bean
	@Lazy
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	WireGate redelayWireGate() {
		return new WireGate(this.properties.toInstanceName());
	}

	@Bean
	WireCheck redelayWireCheck(RedissonClient redisson, QueueScripts scripts, WireGate gate) {
		return new WireCheck(redisson, scripts, gate);
	}

	/**
	 * All stores of a server share one, so that the log reports an outage once.
	 */
	@Bean
	@Lazy
	RedisAvailability redelayRedisAvailability(RedissonClient redisson, WireGate gate) {
		RedisAvailability availability = new RedisAvailability(this.threads.timer());
		availability.guardBy(gate);
		availability.whenBack(this.replayMemory::checkAll);
		if (redisson.getConfig().getNettyHook() instanceof ClosedConnectionHook hook) {
			hook.onLostConnection(availability::check);
		}
		return availability;
	}

	@Bean
	StoreObservers redelayStoreObservers(ScriptObservers observers, ServerMeters meters,
			ObjectProvider<AdminScripts> store, ObjectProvider<DrainedQueues> drained,
			ObjectProvider<RecurringEngine> recurring) {
		return new StoreObservers(observers, meters, store::getObject, drained::getObject, recurring::getObject);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueScripts queueScripts(RedissonClient redisson, RedisAvailability availability, StoreObservers observers,
			BackgroundWorkStarter background, FarSweeper far, ObjectProvider<QueueForgetter> forgetter) {
		QueueScripts scripts = new QueueScripts(redisson, this.properties.keyPrefix(), this.properties.resendTimeout(),
				this.threads.timer(), this.replayMemory, availability,
				observers.toListeners(background::start, far::claimed));
		this.replayMemory.watch(scripts.wakeUps()::redisIsBack);
		if (this.settings.send().callerConnections() > 0) {
			scripts.useCallers(this.settings.send().callerConnections());
		}
		if (this.settings.toForgetting().isEnabled()) {
			forgetter.getObject().start();
		}
		return scripts;
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	AdminScripts queueAdminStore(RedissonClient redisson, RedisAvailability availability, StoreObservers observers,
			ObjectProvider<ColdChunks> cold) {
		AdminScripts store = new AdminScripts(redisson, this.properties.keyPrefix(), this.properties.resendTimeout(),
				this.threads.timer(), this.replayMemory, availability);
		cold.ifAvailable(store.coldTier()::use);
		return observers.addTo(store);
	}

	@Bean
	QueuePartitions redelayQueuePartitions(AdminScripts store) {
		QueuePartitions partitions = new QueuePartitions(store, this.settings.toPartitions(), this.threads.scheduler(),
				this.properties.safetyPollInterval().multipliedBy(2));
		this.replayMemory.watch(partitions::askAgain);
		return partitions;
	}

	@Bean
	DrainedQueues redelayDrainedQueues(StoreObservers observers, AdminScripts store, QueuePartitions partitions) {
		return new DrainedQueues(observers.observers(), store, partitions, Uids.instance());
	}

	@Bean
	TopicGroups redelayTopicGroups(QueueScripts store, GuardedPublisher publisher, OutboxRelays outboxes) {
		TopicGroups groups = new TopicGroups(store::topics, this.settings.toTopics(), this.threads.scheduler(),
				publisher::publish, outboxes::look);
		this.replayMemory.watch(groups::renewAll);
		return groups;
	}

	@Bean
	OutboxRelays redelayOutboxRelays(QueueScripts store, AdminScripts adminStore, SendSettings settings,
			QueuePartitions partitions, ObjectProvider<OutboxRelays> relays) {
		OutboxRelays created = new OutboxRelays(store, this.threads.scheduler(),
				List.of(new NextMessageRelay(store, settings, partitions), new BundleEnds(adminStore.bundles(),
						JsonMapper.shared(), (queue) -> relays.getObject().look(queue)),
						new BundleCancellation(adminStore)));
		this.replayMemory.watch(created::redisIsBack);
		return created;
	}

	@Bean
	ExpirySweeper redelayExpirySweeper(AdminScripts store, EnvelopeCodec codec) {
		ExpiredMessages expired = new ExpiredMessages(store, codec, new FailedAttemptCodec(JsonMapper.shared()),
				this.properties.toInstanceName());
		return new ExpirySweeper(store, expired, this.threads.scheduler(), ExpirySweeper.INTERVAL);
	}

	@Bean
	BundleSweeper redelayBundleSweeper(AdminScripts store, ObjectProvider<OutboxRelays> outboxes) {
		return new BundleSweeper(store.bundles(), new BundleCancellation(store),
				(queue) -> outboxes.getObject().look(queue), this.threads.scheduler(), BundleSweeper.INTERVAL,
				BundleSweeper.QUIET);
	}

	@Bean
	FarSweeper redelayFarSweeper(AdminScripts store, QueuePartitions partitions) {
		FarSettings settings = this.settings.toFar();
		FarSweeper sweeper = new FarSweeper(store, settings, () -> settings.own(partitions), Uids.instance(),
				this.threads.scheduler(), FarSweeper.INTERVAL);
		if (settings.packsNamed()) {
			sweeper.start();
		}
		return sweeper;
	}

	@Bean
	ColdSweeper redelayColdSweeper(AdminScripts store, QueueColdProperties cold, ObjectProvider<ColdChunks> database,
			QueuePartitions partitions) {
		FarSettings far = this.settings.toFar();
		ColdSweeper sweeper = new ColdSweeper(store, far, partitions::isListenedTo,
				cold.toHorizon(far, database.getIfAvailable() != null), Uids.instance(), this.threads.scheduler(),
				ColdSweeper.Times.DEFAULTS);
		if (far.packsNamed()) {
			sweeper.start();
		}
		return sweeper;
	}

	@Bean
	BackgroundWorkStarter redelayBackgroundWorkStarter(ExpirySweeper expired, BundleSweeper bundles, FarSweeper far,
			ColdSweeper cold) {
		BackgroundWorkStarter starter = new BackgroundWorkStarter();
		starter.add(expired::start);
		starter.add(far::start);
		starter.add(cold::start);
		starter.add(bundles::start);
		return starter;
	}

	@Bean
	@Lazy
	QueueForgetter redelayQueueForgetter(AdminScripts store, QueuePartitions partitions) {
		return new QueueForgetter(store, partitions, new InstanceDirectory(store, JsonMapper.shared()),
				this.settings.toForgetting(), Uids.instance(), this.threads.scheduler());
	}

}
