"""Synonyms: the words that people use for what APIs do, and the methods that their verbs ask for.

Sources of the ideas: the action types of schema.org, the activities of ActivityStreams 2.0, the standard methods of
AIP-130 to AIP-136, RFC 5545 (calendars), RFC 5321 (mail), ISO 20022 (payments), the glossaries of NIST (access and
networks), Git and Kubernetes, and WordNet 3.1. An underscore joins the words of a phrase; other words may stand within
it ("pay a customer back"). A `+` separates ideas that a phrase has together.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from specfn.tools.search.texts import plain_words, stem

#: Words that stand for each other.
_SAME: Final = """
update change edit modify; create add new; delete remove destroy erase purge; cancel abort void; stop end terminate halt; close finish end complete done;
start run launch begin; run execute trigger dispatch; pause suspend hold;
suspend disable deactivate freeze lock block; resume continue unpause reactivate; activate enable;
restore recover undelete; revert rollback undo reverse; archive shelve; publish release; publish post;
send deliver email; resend retry redeliver; retry rerun restart; restart reboot reset; copy duplicate clone fork;
move transfer migrate relocate; merge combine; compare diff difference; search find query lookup;
verify validate check confirm test; approve accept allow authorize; reject decline deny refuse dismiss;
block ban suspend mute blacklist; unblock unban unmute; subscribe follow watch; unsubscribe unfollow unwatch;
like favorite favourite star heart reaction react upvote vote; unlike unfavorite unfavourite unstar;
share permission grant access sharing; attach attachment; upload import; download export content; lock protect protection;
convert transform; translate translation; refund reimburse reversal; dispute chargeback; evict eviction; resize scale;
rotate renew refresh regenerate reset; renew extend prolong; schedule plan calendar;
book reserve reservation booking appointment; register registration signup enroll enrol enrollment;
login signin authenticate authentication session; logout signout; sync synchronize;
configure configuration config setting preference option; subscribe subscription; cancel cancellation;
monitor metric monitoring; estimate quote calculate preview; invite invitation; authorize authorization;
user member person people; account profile user; owner creator author; participant attendee guest registrant invitee;
customer client; customer buyer shopper consumer; employee staff worker; vendor supplier seller merchant;
organization organisation company business; admin administrator moderator; contact friend;
chat conversation message thread; comment reply note; email mail; notification alert reminder; post status article;
picture image photo; avatar picture photo icon logo; video clip movie film; recording video audio;
file document attachment; folder directory; text content body; record row entry item; column field property attribute;
spreadsheet sheet; tag label; category genre topic; task ticket issue todo; card task; bug issue defect;
milestone goal objective; board project workspace; workflow pipeline process automation; event appointment meeting;
meeting conference call; room channel chat; call phone; phone telephone mobile number; place location address venue;
shop store; product item good article sku; cart basket; order purchase; price cost rate fee;
discount coupon promotion voucher; payment charge transaction; invoice bill billing; balance money fund cash; tax vat;
subscription plan membership; license licence; server machine instance host; disk volume storage drive;
backup snapshot; container pod; domain hostname dns; certificate cert ssl tls; secret credential password;
token key credential; permission role access right; policy rule; history log activity audit; error failure exception;
statistic stat analytic metric report; usage consumption quota; version release revision; branch ref;
webhook hook callback; form survey questionnaire poll; feedback review rating; feed timeline stream; story article;
song track; schema structure; device phone; vehicle car; flight trip journey; shipment delivery parcel package;
inventory stock; capacity size; prompt completion; model engine; training tune tuning train; embedding vector;
moderation policy; install deploy deployment; export download; sell sale; hire recruit; watch monitor; queue job;
broadcast announcement; banner announcement; request application; nominate suggest; coupon gift; salary payroll wage;
benefit perk; shift schedule roster; timesheet hour; absence leave vacation;
transcript transcription caption subtitle; translation locale language; wallet balance; ledger journal; loan mortgage;
stake holding position; trade order; rate exchange; quote price; symptom diagnosis;
medicine medication drug prescription; patient person; doctor practitioner physician; class course lesson;
pupil student; exam test quiz; mark grade score; match game fixture; league competition; player member; winner result;
rank leaderboard position; achievement badge award; hotel property accommodation; guest customer; seat ticket;
car vehicle; parking lot; driver rider courier; route direction; distance mile; sensor device; thermostat temperature;
light lamp; battery power; alarm alert; incident outage problem; heartbeat ping health; probe check;
dashboard chart graph widget; namespace project; secret vault; quota limit; gateway proxy; balancer load;
replica copy instance; node worker; function lambda; queue topic; schema model; dataset data; experiment trial;
prompt instruction; answer completion; summary abstract; keyword term; synonym alias; alias nickname; mention tag;
hashtag tag; dependency requirement prerequisite; blocker dependency; subtask child; parent owner; sprint iteration;
estimate point; assignment task; responsibility owner; stage status state; state status; progress status; attempt try;
schedule cron timetable; reminder notification; deadline due
"""

#: The words of people, and the words of APIs that they may mean.
_ASKED: Final = """
blocking blocked_by waiting_for > dependency block; collect > capture payment charge;
bought buy sold > charge payment order purchase; bio about_me > profile account credential note;
talking_about > trend popular; catch_up > backfill read marker; output > log result; rerun redo > clear retry rerun;
let_in > authorize approve accept invite; in_parallel concurrently > pool limit concurrency;
fraud fraudulent scam > fraud review report; drop_off > location address; whereabouts where > location address;
everybody everyone > user member person people; unfriend > unfollow remove friend; unsend > delete remove message;
forget > delete remove; space room_left space_left > storage quota usage limit; file > content document;
invite > invitation collaborator member; guest_list attendees > participant registrant; snooze > pause hold;
popularity popular > traffic view popular; upload > file upload import; snap > picture photo image;
get_rid_of throw_away throw_out take_down scrap kill bin trash wipe clean_up ditch > delete remove;
drop discard clear flush empty wipe > delete remove purge clear trash;
kick kick_out expel oust fire throw_out > remove member;
take_off take_away take_out detach disconnect unlink > remove delete disconnect;
leave get_out step_down quit exit drop_out > leave remove member me; call_off scrap > cancel delete;
put_off postpone delay reschedule snooze > update schedule;
bring_back get_back put_back > restore recover undelete unarchive; spin_up set_up fire_up provision boot_up > create;
kick_off set_off fire trigger > run dispatch trigger start; turn_on switch_on power_on > enable activate start power;
turn_off switch_off shut_down power_off shut > disable deactivate stop power shutdown off;
sign_up join enroll > register registrant create registration;
log_in logged_in sign_in signed_in > login session credential; look_like > image photo picture; log_out sign_out > logout session revoke;
look_up look_at look_for > search find get; pay_back money_back give_back pay_out_again reimburse > refund;
pay_out cash_out withdraw > payout transfer withdrawal; hand_over give_away > transfer owner;
pass_on > forward transfer; send_in hand_in turn_in > upload submit; fill_in fill_out > update submit;
write_off > uncollectible; chip_in donate > donation contribution; check_in arrive > checkin arrival;
back_up > backup snapshot; roll_back go_back > rollback revert restore revision;
free_up release > release detach delete; give_access let_in let > permission invite grant allow collaborator member;
make_private make_public set_private set_public > update private visibility public;
lock_out shut_out > block suspend deactivate; cut_off > block suspend disable; switch swap > change update move;
speed_up scale_up bigger larger grow increase enlarge upgrade > resize scale upgrade;
smaller shrink decrease downgrade > resize scale downgrade; cheaper reduce > discount coupon;
fight contest challenge > dispute appeal; complain > report complaint ticket;
flag statement report_user report_someone > report; freeze > suspend disable pause status inactive hold;
hide silence > mute hide; hear_from see_anything blocked banned > block mute; ask request > request create;
write compose draft > create post send; say tell talk speak > message comment send chat; text ping dm > message send;
answer respond > reply response answer answering; reword rewrite correct fix amend tweak > update edit;
rename > name title update; translate > translation language; summarize explain > summary completion;
draw paint > image generate generation; spell proofread > edit correct; finish continue > completion complete;
guess predict > prediction; squash merge merge_conflicts > merge;
save keep remember bookmark > bookmark save create store; pin stick > pin;
owe due outstanding unpaid > balance invoice due payment;
spent spend spending cost_so_far > usage cost billing balance; earn income revenue > balance earning payout;
money > balance amount; how_much > balance amount cost; how_many > count total;
afford remaining left > remaining limit count balance; allowance > limit quota;
busy load heavy > cpu usage metric utilization; slow fast speed performance > performance metric latency;
up alive reachable online > health status uptime state; down outage offline > status incident health;
ok okay healthy well working works > health status test;
why reason crashed crash broken failed fail wrong > error log failure reason event;
progress going far > status progress event state;
happened happening changed going_on > event log activity history change audit;
who_changed who_did > event log audit activity history; since new recent recently lately > latest recent change;
newest latest last current > latest current last; upcoming next soon coming > upcoming schedule next;
missed voicemail > voicemail call log; called calls rang ring > call log phone;
attended attend present showed_up > participant attendee report; coming rsvp > attendee registrant response;
absent away vacation holiday > leave absence presence status; due deadline overdue late > due date task;
who whose > user member owner; who_can > permission access collaborator share;
who_liked who_likes > favourite like reaction favourited; belongs belong > member membership user;
someone somebody anyone colleague coworker teammate team_mate folk guy human people > user member account person;
boss chief > manager owner admin; speaker presenter host > panelist speaker host;
spammer troll abuser > account user admin report; kid child > child children;
reader audience fan > follower subscriber; pal buddy > friend follow; client > customer;
credit_card debit_card > card payment source method; card > source; bank > account; chargeback > dispute;
paycheck salary wage > payroll payslip; receipt > invoice; tip > gratuity; deal > opportunity discount;
lead prospect > lead contact; company firm > organization company account;
dev_environment sandbox > environment codespace; website site page > site website domain page;
web_address link url > url link domain; folder > directory file; picture photo screenshot > image file picture photo;
pdf > file export; doc document spreadsheet presentation slide > document file;
paragraph section heading > block paragraph section; chapter > section part; column lane > column section field;
subtask step stage phase > task step subtask stage section; to_do chore > task todo;
bug problem trouble glitch > issue bug incident error; ticket > issue;
suggestion idea wish > suggestion feature request; chat_room > channel room;
dm direct_message private_message inbox > message conversation direct; text_message sms > message sms;
voice > audio recording; vm virtual_machine box > machine server instance compute;
data_center datacentre > region location zone; hard_disk hard_drive > volume disk storage; port > rule firewall;
ip > address network; dns_entry > record domain; nickname handle username > name user username;
password login passphrase > credential password connection secret; api_key > key token;
two_factor 2fa > mfa factor authentication; job > task run; pipeline workflow > workflow pipeline dag run;
cron nightly > schedule; run > execution job; backfill > run; feature_flag toggle > flag feature;
settings preferences > setting preference configuration; sound ringtone > audio sound; lyrics > lyric text;
weather temperature > forecast; map directions route > route direction; hashtag > tag trend;
trending popular hot best > trend popular top; suggested recommended recommend > suggestion recommendation similar;
similar like_this > similar variation related; offensive abusive hateful harmful > moderation report;
sentence text > text completion prompt content; vectorize vector > embedding;
audio speech speak_to transcript dictate > transcription audio transcript; chatbot chat_with ask_ai > chat completion;
custom fine_tuned trained > tune fine model; server instance > instance server domain;
duplicate_of copy > copy duplicate; take_part attend > join participant; rsvp > registrant response;
step_in cover > substitute; log_time track_time clock_in > time entry timesheet; hang_up > end call; ring dial > call;
put_on_hold > hold pause; record tape recordings cloud_recording > recording;
mute silence quiet silenced muted > mute; quiet_hours do_not_disturb > presence status;
presence online_status who_is_online online > presence status; watch_later read_later > bookmark;
retweet repost boost reshare > reblog repost share; quote > reblog; unread > notification marker;
mark_as_read mark_read catch_up > read marker; mentions mentioned > mention notification;
who_follows fans followers watchers > follower; who_do_i_follow > following;
profile bio about_me > profile account credential; display_name > name profile account;
verify_email confirm_email > confirmation; forgot forgotten password_reset > reset password;
tfa otp passcode > mfa factor; public private visibility > visibility permission access;
visible publicly > public visibility; collaborator contributor > collaborator member user; teammates members > member;
hire > create invite; fire_someone > deactivate delete; newcomer onboard > invite user create;
outsider guest external > guest external; read_only viewer rights privileges allowed may > permission role;
ownership owner > owner transfer; attachments attached > attachment; subfolder > folder directory child;
inside contents > child content item; trashed deleted bin rubbish garbage > trash delete deleted;
old_version previous_version earlier_version versions > revision version history; undo_changes > revert restore;
blame changed_by edited > revision history commit; source_code code > content repository file code;
file_contents readme > content; stale > cache expired; cached > cache; host hosting > server hosting app;
ssh_key > key ssh; snapshot backup > snapshot backup image; disk_space storage > volume storage quota;
attach mount > attach volume; unmount > detach volume; reboot restart > reboot restart action;
ip_address static_ip > ip floating reserved; traffic bandwidth > traffic bandwidth metric; memory ram > memory metric;
uptime monitoring > uptime check; alarm alert_me warn > alert policy; ssl https > certificate;
registry images > registry image; container docker > container registry; kubernetes cluster > kubernetes cluster;
scale_out add_nodes > node pool; cheapest plans sizes > size price plan; billing bills charges > invoice billing;
charged charge > charge payment invoice; payment payments > payment charge; bank_transfer wire > transfer payout;
subscription subscribe trial > subscription; free_trial > trial subscription;
unsubscribe stop_subscription end_subscription > cancel subscription;
coupon_code promo_code promo > promotion coupon discount code; gift_card > gift card; checkout > session;
pay_link payment_page > payment link checkout; hosted_page > session portal; tax_rate > tax rate;
customer_portal > portal session; fraud suspicious risky > review fraud; export_data > export report;
webhook notify_me > webhook hook; event_log audit_trail > event audit log; graph_view diagram > graph structure;
variables > variable; plugins add_ons extensions > plugin; retry try_again > retry rerun clear; skip > state;
mark_done mark_as_done mark_complete tick_off complete > complete update status;
mark_failed mark_success > state update; stuck hanging queued waiting > queue state pending dependency;
parallel slots > pool; schedule_run > trigger run; output result_of > result output; intermediate_value > value entry;
stop_running > cancel stop state; pages docs notes > page document; table spreadsheet database > database table;
row rows entry > page row record entry; heading text_block bullet > block;
comments remarks discussion > comment discussion; transcribe > transcription audio;
translate_audio > translation audio; read_aloud speak > speech audio; image_from_text > generation image;
touch_up retouch edit_picture > edit image; available models > model; classify sort_into > classification moderation;
fork_repo > fork; star_repo > star; watchers > subscriber watcher; contributors > contributor;
clone_traffic visitors views > traffic view clone; pipeline_run build_run > workflow run;
build builds > workflow run build; logs output > log; artifact artifacts > artifact; close reopen > update state;
assign give_to > assign assignee; collaborators > collaborator; deploy_key > deploy key;
protect protection > protection; secret secrets > secret; snippet paste > snippet; release_notes > release note;
changelog > release; vulnerabilities security_holes > advisory vulnerability alert;
lines_of_code languages > language statistic; topics > topic; invitation invited > invitation; tag_version > tag ref;
hook > webhook; waiting_room lobby > waiting room registrant; signed_up registered > registrant registration;
poll vote > poll; speaker presenter > panelist; breakout > room; telephone_number phone_number > phone number;
voicemail > voice mail; meeting_link join_link > invitation join url; livestream stream live > livestream live stream;
minutes summary > summary; q_and_a questions > qa question; assistant secretary > assistant;
upcoming scheduled > upcoming scheduled meeting; contact address_book > contact; emoji sticker > emoji reaction;
filters filter > filter; who_voted votes > vote; domain_block server_block > domain block; trending trends > trend;
timeline news_feed home_page feed > timeline home feed; direct_messages > conversation direct; rules terms > rule;
custom_field > custom field; section heading > section; goals > goal; dependencies blocked_by > dependency;
subtasks > subtask; templates > template; duplicate > copy; hand_off reassign > assignee update; favorites > favorite;
status_report progress_report > status update; time_off > leave absence; reinstall > rebuild;
plug plug_in > attach; unplug > detach; louder quieter loud > volume; music song > playback track player;
random_order randomly > shuffle; again_and_again loop over_and_over > repeat; jump skip_to > seek;
hear heard listen listened > play played; band singer > artist; hit > top; copy_of_all > backup;
personal_data > anonymize privacy; posting > silence post; alert > notification alert;
toot > status post; take_back > delete remove undo; keep_an_eye keep_track > follow watch follower subscription;
drop_down dropdown choice choices > option enum; on_my_plate on_my_list > task list me; belong > member membership workspace;
take_image take_snapshot > snapshot image action; mail_me email_me > alert notification; kubectl > kubeconfig kubernetes;
static_address > ip reserved floating; docker_layers layer > registry garbage; read_copy > replica; paused_this > event log audit;
who_paused who_deleted who_created who_ran who_edited > event log audit history; how_is > status state get; going > status progress;
hand_over pass_between pass_on > assign transfer xcom; global_setting > variable; operator > provider; last_week yesterday > range backfill;
stop_sharing > permission share; logged_in_as > me about user; not_want_to_see never_show > mute hide filter block;
wants_to requested > request; heart > favourite like star reaction; media picture > media; friends_posting > timeline home;
starred_my > stargazer; notified > subscription watch notification; viewed > view traffic; prs > pull;
without_paying never_paid > uncollectible unpaid; every_month every_year every_week > subscription recurring plan schedule;
expel kick_out > remove delete member user; in_the_meeting in_the_call > participant; do_not_disturb > presence status;
on_youtube on_twitch > livestream stream; workspace company > workspace organization; site > uptime check site;
more_memory more_cpu bigger_machine > change type resize scale; spread distribute > balancer load;
people_say said_about say_about written_about people_write people_think > comment story discussion reply;
stop_from keep_from prevent > block deny restrict mute; tomorrow later > schedule; yesterday past previous > past history;
subdomain > record domain; break_down split split_up > subtask split; objective target > goal; printed print > log;
tell_when let_know notify_when > watch subscribe webhook notification; spreadsheet_row > row; reserved > capture hold authorization;
hard_delete > delete purge; logged > log; crash > error log; slot > pool; trial_period > trial; waitlist > queue;
cover thumbnail > image photo; nick > name; signature > sign; sick ill > leave absence; overtime > hour;
wage > pay payroll; buyer > customer; pay > payment charge; basket_item > item line; discount > coupon promotion;
size dimension > size; colour > color; zip postcode > postal address; surname > name; birthday > birth date;
translate > language locale; quit_job > termination; job_offer > offer; shipping ship > shipment delivery;
track_package where_package > tracking shipment; back_order > stock inventory; in_stock out_of_stock > stock inventory availability;
free_slot free_time available busy > availability freebusy schedule; opening_hours > hour schedule;
directions > route; nearby near_me around_me closest > search location nearby; address > location;
allow_list block_list > list allow block; two_step > mfa factor; unlock_account > unlock; deactivate_account > deactivate suspend;
forward redirect > forward redirect; auto_reply > vacation responder; signed signature > sign signature document;
attach_file add_file > attachment upload file; link_to share_link shareable_link > link share permission;
public_link > link share; read_receipt > read; typing > typing; thread_reply > reply thread; pinned > pin;
top_tracks hits > top; listen_to > play; skip_song next_song > next; previous_song > previous; louder > volume;
copy_file > copy; move_file > move parent; empty_trash > trash empty; recently_opened > recent;
open_issues > issue; merge_request > pull merge; code_review > review; who_wrote > author contributor;
test_results > test result; coverage > coverage; stop_build cancel_build > cancel; restart_build > rerun;
run_query sql > query; dashboards > dashboard; cluster > cluster; scale_down > scale resize; ssl_certificate > certificate;
open_port close_port > firewall rule; private_network > network vpc; assign_ip > ip assign;
money_in incoming > credit deposit received; money_out outgoing > debit payout outbound; bank_statement > transaction balance history;
direct_debit > mandate debit; recurring repeating monthly > subscription recurring plan; upgrade_plan change_plan > subscription plan update;
sales_tax > tax; receipt_for > receipt invoice; credit_note > credit note; late_payment > overdue dunning;
identity id_card passport > identity verification document; kyc > identity verification;
terminal card_machine card_reader > terminal reader; apple_pay google_pay > wallet pay;
co_host > host; waiting > waiting queue; join_meeting > join; mute_all > mute; raise_hand > reaction;
attendance > participant attendance report; who_joined > participant; call_quality > qos quality; voice_message > voicemail;
extension > extension number; call_forwarding > forwarding; auto_attendant menu > receptionist ivr;
webinar_speaker > panelist; registration_form > registrant question; custom_question > question
"""

#: Short forms, and the words that they stand for.
_SHORT: Final = """
who_am_i whoami > me authenticated current + user account profile verify; pr > pull; db > database connection;
vm > machine instance server; dm > conversation direct; repo > repository repo; org > organization org;
app > application app; config > configuration config; env > environment env; auth > authentication authorization;
info > information; doc docs > document; pic pics > picture image; img > image; msg > message; acct > account;
cert > certificate; admin > administrator admin; stats > statistic; cpu > cpu processor; processor > cpu processor;
ram > memory; k8s > kubernetes cluster; id > identifier id; ci > workflow action build pipeline; sso > saml sso;
vat > tax vat; tv > television
"""

#: Long words, and the short forms that paths have for them.
_LONG: Final = """
authentication > auth; authorization > auth; information > info; organization > org; repository > repo; reference > ref;
picture > pic; document > doc; distance > dist; configuration > conf; environment > env; certificate > cert;
database > db; statistic > stat; transaction > tx txn; address > addr; language > lang; message > msg;
management > mgmt; quantity > qty
"""

#: Verbs of opposite meaning. A function that does the opposite of what a query asks for is no match.
_OPPOSITES: Final = """
pause suspend hold | resume continue unpause; approve accept allow | reject decline deny refuse;
enable activate | disable deactivate; lock | unlock; archive | unarchive restore; follow | unfollow; start | stop;
open reopen | close; mute | unmute; pin | unpin; block ban | unblock unban; publish | unpublish; star | unstar;
subscribe | unsubscribe; login | logout; show | hide; join | leave; promote | demote; upload | download;
import | export; assign | unassign; attach | detach; grant | revoke; like favorite favourite | unlike unfavorite unfavourite;
encrypt | decrypt; mark | unmark; increase | decrease; link | unlink; connect | disconnect; add insert | remove;
delete | restore undelete; send | cancel; ship | return; silence | unsilence; protect | unprotect
"""

#: How much a word counts that stands for another one, by table.
WEIGHTS: Final = {"same": 0.5, "asked": 0.7, "short": 1.0, "long": 0.95, "phrase": 1.2}

#: The methods that verbs mean | those that may do it, too | the verbs.
_ASKS: Final = """
get head |  | who what which how when why where is are do does did have has show list see view find get look read
display fetch retrieve count search download browse compare diff my all any preview inspect tell explain calculate
estimate track monitor export whats;
post |  | create add new make send post file open publish upload invite register sign_up submit book issue ask message
spin_up set_up launch place order sell buy import write comment answer reply generate draw build fork record hire
onboard enroll join provision install schedule plan duplicate copy clone append insert transcribe translate summarize
vectorize embed compose draft sign announce notify_me alert_me warn_me remind_me bill mail email charge hand reuse let_know;
put patch | post | update change edit modify set rename move assign adjust reword rewrite replace correct fix increase
decrease resize reschedule postpone mark switch put turn turn_on turn_off swap raise lower upgrade downgrade unmark
tweak amend extend prolong shorten rephrase reassign relabel retitle point transfer migrate convert;
delete |  | delete remove erase destroy purge wipe drop discard clear empty flush get_rid_of throw throw_out unset
scrap ditch trash bin uninstall deregister forget unsend throw_away take_down;
delete | post put patch | cancel call_off stop end abort revoke leave quit kick detach disconnect withdraw undo clean
unlink dismiss expel oust eject kill fire unpublish unsubscribe undo_changes hang_up get_out step_down;
post | put patch | start run begin trigger execute approve accept reject decline merge close reopen lock unlock
archive restore recover enable disable activate pause resume suspend freeze block ban like star save share follow pay
refund charge capture transfer test restart reboot retry rerun rotate reset give grant allow kick_off bring_back
pay_back report boot wake flag pin mute hide silence verify promote demote redeliver refresh renew sync squash hold
deploy protect attach turn_on turn_off switch_on switch_off speed_up scale log_in
"""


class Asked(NamedTuple):
    """The methods that a verb asks for: those that it means, and those that may do it, too."""

    meant: frozenset[str] = frozenset()
    possible: frozenset[str] = frozenset()


class Phrase(NamedTuple):
    """Several words with one meaning: their stems, the stems that stand for them, and the methods that they ask for."""

    words: tuple[str, ...]
    meanings: tuple[tuple[str, ...], ...]
    asked: Asked | None


def _asked_methods() -> Iterator[tuple[str, Asked]]:
    for line in _ASKS.replace("\n", " ").split(";"):
        meant, possible, verbs = line.split("|")
        asked = Asked(frozenset(meant.split()), frozenset(possible.split()))
        yield from ((verb, asked) for verb in verbs.split())


#: The methods that a verb asks for, by the verb.
ASKED_METHODS: Final[Mapping[str, Asked]] = dict(_asked_methods())


def _stems(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(stem(word) for each in words for word in plain_words(each))


def _opposites() -> Mapping[str, frozenset[str]]:
    """Return the stems of the verbs that do the opposite of a verb, by its stem."""
    opposites: dict[str, frozenset[str]] = {}
    for line in _OPPOSITES.replace("\n", " ").split(";"):
        left, right = (frozenset(_stems(side.split())) for side in line.split("|"))
        for own, others in ((left, right), (right, left)):
            for verb in own:
                opposites[verb] = opposites.get(verb, frozenset()) | others
    return opposites


def _read_tables() -> tuple[dict[str, dict[str, float]], dict[str, list[Phrase]]]:
    """Return the weights of the stems that stand for a stem, and the phrases by their first stems, the longest first."""
    synonyms: dict[str, dict[str, float]] = defaultdict(dict)
    phrases: dict[str, list[Phrase]] = defaultdict(list)
    ideas = [("same", line, line) for line in _SAME.replace("\n", " ").split(";")]
    for kind, table in (("asked", _ASKED), ("short", _SHORT), ("long", _LONG)):
        pairs = (idea.split(">") for idea in table.replace("\n", " ").split(";"))
        ideas += ((kind, left, right) for left, right in pairs)
    for kind, left, right in ideas:
        meaning = _stems(right.split())
        for word in left.split():
            own = _stems(word.split("_"))
            if len(own) > 1:
                verbs = (word, *right.split()[:1], word.partition("_")[0])
                choices = [ASKED_METHODS[verb] for verb in verbs if verb in ASKED_METHODS]
                asked = next((one for one in choices if "get" not in one.meant), None)
                asked = asked or next(iter(choices), None)
                meanings = tuple(_stems(part.split()) for part in right.split("+"))
                phrases[own[0]].append(Phrase(own, meanings, asked))
                continue
            for other in meaning:
                if other != own[0] or kind == "short":
                    weight = max(WEIGHTS[kind], synonyms[own[0]].get(other, 0.0))
                    synonyms[own[0]][other] = weight
    for alternatives in phrases.values():
        alternatives.sort(key=lambda phrase: -len(phrase.words))
    return dict(synonyms), dict(phrases)


_TABLES: Final = _read_tables()

#: The stems that stand for a stem, with their weights; and the phrases by their first stems.
SYNONYMS: Final[Mapping[str, Mapping[str, float]]] = _TABLES[0]
PHRASES: Final[Mapping[str, Sequence[Phrase]]] = _TABLES[1]
OPPOSITES: Final = _opposites()
