"""Words whose change changes what a sentence says: negation, limits, quantity, comparison, opposites.

Source: written for this project from general knowledge of the tier 1 languages (and Russian); no list was
copied. Words are in the folded form of ``normalize.fold``: lower case, accents kept, apostrophes gone.
Words joined by ``/`` or in one group say the same; a change from one group to another is a changed fact.
"""

from __future__ import annotations

import unicodedata
from collections.abc import KeysView, Sequence
from functools import cache

# kind -> groups. Two words of one kind but of different groups contradict each other; a word of a kind that
# has no counterpart on the other side is a change too.
_WORDS: dict[str, tuple[str, ...]] = {
    "negation": (
        (
            "not no never none nor neither without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt "
            "couldnt hasnt havent hadnt mustnt neednt nobody nothing nowhere hardly barely scarcely fails failed lack lacks "
            "nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch niemand nichts nirgends kaum "
            "no nunca jamás sin ni ningún ninguna ninguno nadie nada tampoco "
            "ne pas jamais sans aucun aucune rien personne nul nulle "
            "не нет ни без никогда никто ничего нельзя "
            "لا لم لن ليس ليست ليسوا غير بدون دون عدم "
            "नहीं न ना मत बिना "
            "nu fără nici niciodată δεν μην όχι χωρίς değil yok không chưa non senza mai não sem nem niet geen nooit zonder inte aldrig utan"
        ),
    ),
    "limit": (
        (
            "only solely exclusively nur lediglich ausschließlich ausschliesslich sólo solo solamente únicamente seulement uniquement "
            "только лишь فقط केवल सिर्फ"
        ),
        (
            "except unless excluding excluded besides außer ausser ausgenommen excepto salvo sauf excepté hormis кроме إلا باستثناء سوى "
            "सिवाय छोड़कर"
        ),
        "including inklusive einschließlich einschliesslich incluido inclus включая",
        (
            "almost nearly approximately about roughly around circa ca fast beinahe etwa ungefähr casi aproximadamente presque environ "
            "почти около تقريبا حوالي लगभग करीब"
        ),
        "exactly genau exactamente exactement точно",
    ),
    "quantifier": (
        (
            "all every each everyone everybody everything any alle aller allen alles jeder jede jedes jeden jedem sämtliche todo toda "
            "todos todas cada tout toute tous toutes chaque все всех всё каждый каждая каждое любой كل جميع सभी हर प्रत्येक सब"
        ),
        "some several einige manche algunos algunas varios varias quelques certains certaines plusieurs некоторые несколько بعض कुछ कई",
        "most majority meisten mehrheit mayoría plupart majorité большинство معظم أغلب अधिकांश ज़्यादातर",
        "many much viele viel vielen muchos muchas mucho beaucoup nombreux много многие كثير العديد बहुत",
        "few little wenige wenig wenigen pocos pocas poco peu мало немногие قليل थोड़े कम",
        "both beide beiden ambos ambas оба обе كلا दोनों",
        "half halb halbe hälfte mitad medio moitié demi половина نصف आधा आधे",
        "double twice doppelt doppelte zweimal doble double вдвое ضعف दोगुना",
        "triple dreifach",
    ),
    "modality": (
        (
            "must shall required mandatory obliged obligatory muss müssen pflicht verpflichtend debe deben obligatorio doit doivent "
            "obligatoire должен должны обязан يجب ينبغي चाहिए"
        ),
        (
            "may can might could optional voluntary kann können darf dürfen freiwillig puede pueden opcional peut peuvent facultatif "
            "может могут можно يمكن يجوز सकता सकते सकती"
        ),
        "should soll sollen sollte debería devrait следует",
        "prohibited forbidden banned verboten prohibido interdit запрещено ممنوع محظور वर्जित",
    ),
    "comparator": (
        (
            "more greater higher over above exceeding exceeds beyond longer larger bigger mehr größer grösser höher über länger más mayor "
            "superior encima plus supérieur больше более выше свыше أكثر أعلى فوق अधिक ज़्यादा ऊपर"
        ),
        (
            "less fewer lower under below beneath shorter smaller weniger kleiner niedriger unter kürzer menos menor inferior debajo moins "
            "inférieur меньше менее ниже أقل أدنى تحت कम नीचे"
        ),
        "minimum mindestens mínimo least minimal minimale minimaler",
        "maximum höchstens maximal maximale máximo upto",
        "before until till prior earlier vor bis vorher früher antes hasta avant jusquà jusque до прежде قبل पहले",
        "after since following later upon nach seit danach später después desde tras après depuis после بعد منذ बाद",
        "within innerhalb binnen dentro",
        "between zwischen entre между بين बीच",
    ),
    "unit": (
        "working business werktags werktage werktagen arbeitstage arbeitstagen hábiles laborables ouvrables ouvrés рабочих",
        "calendar kalendertage kalendertagen naturales calendaires календарных",
        "consecutive aufeinanderfolgende aufeinanderfolgenden consecutivos consécutifs",
        "square quadrat cuadrados cuadradas carrés квадратных",
        "cubic kubik cúbicos cubes кубических",
        "nautical",
        "monthly monatlich mensual mensuel ежемесячно",
        "daily täglich diario quotidien ежедневно",
        "weekly wöchentlich semanal hebdomadaire еженедельно",
        "yearly annually annual jährlich anual annuel ежегодно",
    ),
    "month": (
        "january jan januar jänner enero janvier января январь يناير जनवरी",
        "february feb februar febrero février февраля февраль فبراير फरवरी फ़रवरी",
        "march mar märz marzo mars марта март مارس",
        "april apr abril avril апреля апрель أبريل अप्रैल",
        "mai mayo мая май مايو मई",
        "june jun juni junio juin июня июнь يونيو जून",
        "july jul juli julio juillet июля июль يوليو जुलाई",
        "august aug agosto août августа август أغسطس अगस्त",
        "september sep sept septiembre septembre сентября сентябрь سبتمبر सितंबर सितम्बर",
        "october oct oktober okt octubre octobre октября октябрь أكتوبر अक्टूबर",
        "november nov noviembre novembre ноября ноябрь نوفمبر नवंबर नवम्बर",
        "december dec dezember dez diciembre décembre декабря декабрь ديسمبر दिसंबर दिसम्बर",
    ),
    "weekday": (
        "monday mondays montag montags lunes lundi понедельник الاثنين सोमवार",
        "tuesday tuesdays dienstag dienstags martes mardi вторник الثلاثاء मंगलवार",
        "wednesday wednesdays mittwoch mittwochs miércoles mercredi среда الأربعاء बुधवार",
        "thursday thursdays donnerstag donnerstags jueves jeudi четверг الخميس गुरुवार",
        "friday fridays freitag freitags viernes vendredi пятница الجمعة शुक्रवार",
        "saturday saturdays samstag samstags sonnabend sábado samedi суббота السبت शनिवार",
        "sunday sundays sonntag sonntags domingo dimanche воскресенье الأحد रविवार",
    ),
    "number": (
        "zero null cero zéro ноль صفر शून्य",
        "once einmal одиножды",
        "two zwei dos deux два две двух اثنان اثنين दो",
        "three drei tres trois три трех трёх ثلاثة ثلاث तीन",
        "four vier cuatro quatre четыре четырех أربعة أربع चार",
        "five fünf cinco cinq пять пяти خمسة خمس पांच पाँच",
        "six sechs seis шесть ستة ست छह",
        "seven sieben siete sept семь سبعة سبع सात",
        "eight acht ocho huit восемь ثمانية ثماني आठ",
        "nine neun nueve neuf девять تسعة تسع नौ",
        "ten zehn diez dix десять عشرة عشر दस",
        "eleven elf once onze одиннадцать ग्यारह",
        "twelve zwölf doce douze двенадцать बारह",
        "thirteen dreizehn trece treize",
        "fourteen vierzehn catorce quatorze",
        "fifteen fünfzehn quince quinze пятнадцать पंद्रह",
        "sixteen sechzehn dieciséis seize",
        "seventeen siebzehn diecisiete",
        "eighteen achtzehn dieciocho",
        "nineteen neunzehn diecinueve",
        "twenty zwanzig veinte vingt двадцать عشرون عشرين बीस",
        "thirty dreißig dreissig treinta trente тридцать ثلاثون ثلاثين तीस",
        "forty vierzig cuarenta quarante сорок أربعون أربعين चालीस",
        "fifty fünfzig cincuenta cinquante пятьдесят خمسون خمسين पचास",
        "sixty sechzig sesenta soixante шестьдесят ستون ستين साठ",
        "seventy siebzig setenta семьдесят سبعون सत्तर",
        "eighty achtzig ochenta восемьдесят ثمانون अस्सी",
        "ninety neunzig noventa девяносто تسعون नब्बे",
        "hundred hundreds hundert cien ciento cientos cent cents сто сотни مئة مائة सौ",
        "thousand thousands tausend tausende mil miles mille milliers тысяча тысячи тысяч ألف آلاف हज़ार हजार",
        "million millions millionen millón millones миллион миллиона миллионов مليون ملايين दसलाख",
        "billion billions milliarde milliarden milliard milliards миллиард миллиарда миллиардов مليار करोड़",
        "trillion billionen",
        "dozen dutzend docena douzaine дюжина दर्जन",
        "first 1st erste ersten erster erstes primero primera primer premier première первый первая первое первого أول पहला पहली",
        "second zweite zweiten zweiter segundo segunda deuxième seconde второй вторая второе второго ثاني दूसरा दूसरी",
        "third thirds dritte dritten dritter drittel tercero tercera tercer tercio troisième tiers третий третья ثالث तीसरा तीसरी",
        "fourth vierte vierten cuarto cuarta quatrième четвертый четвёртый رابع चौथा",
        "fifth fünfte fünften quinto quinta cinquième пятый خامس पांचवां",
        "sixth seventh eighth ninth tenth",
        "last final letzte letzten letzter letztes último última dernier dernière последний последняя последнее последнего آخر अंतिम आखिरी",
        "quarter viertel cuarta quart четверть ربع",
    ),
}

# Each line: two poles; words of one pole say about the same.
_OPPOSITES = """
increase increases increased increasing rise rises rose risen rising grow grows grew grown growing growth climb climbed gain gains gained raise raises raised raising up | decrease decreases decreased decreasing fall falls fell fallen falling drop drops dropped decline declines declined declining shrink shrank reduce reduces reduced reducing reduction lose loses lost lowered cut down
allow allows allowed allowing permit permits permitted permitting permission authorise authorised authorize authorized let enable enables enabled enabling | forbid forbids forbidden prohibit prohibits prohibited prohibition ban bans banned deny denies denied disallow disallowed prevent prevents prevented block blocks blocked disable disables disabled refuse refuses refused
accept accepts accepted accepting acceptance approve approves approved approval grant grants granted | reject rejects rejected rejecting rejection refuse refuses refused decline declines declined deny denies denied
include includes included including inclusive | exclude excludes excluded excluding exclusive omit omits omitted
high higher highest highly | low lower lowest
large larger largest big bigger biggest great greater greatest long longer longest huge | small smaller smallest little tiny short shorter shortest
more most | less least fewer fewest
maximum max maximal highest most | minimum min minimal lowest least
first initial initially | last final finally
before prior earlier previous previously pre until | after later following subsequent subsequently post since
early earlier earliest | late later latest
new newer newest modern | old older oldest ancient
north northern northward northwards | south southern southward southwards
east eastern eastward eastwards | west western westward westwards
northeast northeastern | southwest southwestern northwest northwestern southeast southeastern
northwest northwestern | southwest southwestern northeast northeastern southeast southeastern
left | right
inside internal internally interior inner in | outside external externally exterior outer out
above over upper top | below under lower beneath bottom
always | never sometimes rarely seldom
often frequently usually commonly | rarely seldom infrequently never
positive positively | negative negatively
major | minor
majority | minority
begin begins began begun beginning start starts started starting open opens opened opening | end ends ended ending stop stops stopped stopping finish finishes finished close closes closed closing cease ceases ceased
true | false
valid | invalid void expired
legal legally lawful | illegal illegally unlawful
possible possibly | impossible
able | unable
common commonly | uncommon rare rarely
public publicly | private privately
strong stronger strongest strongly | weak weaker weakest weakly
win wins won winning winner victory | lose loses lost losing loser defeat
import imports imported importing importer | export exports exported exporting exporter
male males man men boy boys he him his father son brother husband king | female females woman women girl girls she her hers mother daughter sister wife queen
dependent dependently | independent independently
direct directly | indirect indirectly
active actively activated activate activates | inactive passive deactivated deactivate deactivates
present | absent
same identical | different
good better best | bad worse worst poor
fast faster fastest quick quickly | slow slower slowest slowly
hot hotter hottest warm warmer | cold colder coldest cool cooler
rich richer wealthy | poor poorer
buy buys bought buyer purchase purchases purchased | sell sells sold seller sale sales
free | paid charged chargeable
pass passes passed | fail fails failed
success successful successfully succeed succeeds succeeded | failure unsuccessful unsuccessfully fail fails failed
add adds added adding addition | remove removes removed removing removal delete deletes deleted
create creates created | destroy destroys destroyed delete deleted
import | export
input | output
send sends sent sender | receive receives received receiver recipient
employer employers | employee employees
landlord landlords lessor | tenant tenants lessee
lender lenders creditor creditors | borrower borrowers debtor debtors
borrow borrows borrowed | lend lends lent
teach teaches taught teacher | learn learns learned learnt student
majority | minority
day daytime daily | night nighttime nightly
daily | weekly monthly yearly annually annual quarterly
weekly | monthly yearly annually annual quarterly
monthly | yearly annually annual quarterly
morning | evening afternoon
today | yesterday tomorrow
domestic domestically national | foreign international abroad
urban | rural
full fully complete completely whole entire entirely | empty partial partially partly incomplete
open | closed
on | off
with | without
for favour favor support supports supported | against oppose opposes opposed
to toward towards | from away
increase | decrease
optional voluntary | mandatory compulsory required obligatory
online | offline
gain gains profit profits surplus | loss losses deficit
credit credits credited | debit debits debited
import | export
safe safely | unsafe dangerous dangerously
agree agrees agreed agreement | disagree disagrees disagreed disagreement
appear appears appeared | disappear disappears disappeared vanish vanished
encourage encourages encouraged | discourage discourages discouraged
horizontal horizontally | vertical vertically
forward forwards | backward backwards
minimize minimizes minimized minimise minimises minimised | maximize maximizes maximized maximise maximises maximised
limited restricted | unlimited unrestricted extensive comprehensive boundless
existing | new novel
expand expands expanded expansion extend extends extended | contract contracts contracted shrink shorten shortens shortened
improve improves improved improving improvement | worsen worsens worsened worsening deteriorate deteriorates deteriorated
efficient efficiently effective effectively | inefficient inefficiently ineffective ineffectively
accurate accurately precise precisely | inaccurate inaccurately imprecise
reliable reliably | unreliable
sufficient adequate enough | insufficient inadequate
advantage advantages benefit benefits | disadvantage disadvantages drawback drawbacks
strength strengths | weakness weaknesses
acquire acquires acquired | divest divests divested
hire hires hired | fire fires fired dismiss dismisses dismissed
ancestor ancestors | descendant descendants
parent parents | child children
attack attacks attacked | defend defends defended defence defense
love loves loved like likes liked | hate hates hated dislike dislikes disliked
primary | secondary tertiary
single | double multiple
odd | even
simple simpler simplest easy easier easily | complex complicated difficult hard harder
temporary temporarily | permanent permanently
refundable | nonrefundable
subject | exempt
exempt exempted | liable taxable
deep deeper deepest | shallow
heavy heavier heaviest | light lighter lightest
wide wider widest broad broader | narrow narrower narrowest
thick thicker | thin thinner
dry | wet
young younger youngest | old older oldest elderly
near nearby close | far distant
mehr meist meisten | weniger wenigsten
größte größten größter größer größere großen große großer großes groß grösste grosse gross lange langen lang länger | kleinste kleinsten kleinster kleiner kleinere kleinen kleine kleines klein kurze kurzen kurz kürzer
hoch hohe hohen hoher hohes höher höhere höchste höchsten | niedrig niedrige niedrigen niedriger niedrigste niedrigsten tief
erste ersten erster erstes zuerst | letzte letzten letzter letztes zuletzt
vor vorher früher frühe frühen frühesten zuvor | nach nachher später späte späten spätesten danach
norden nördlich nördliche nördlichen nord | süden südlich südliche südlichen süd
osten östlich östliche östlichen ost | westen westlich westliche westlichen west
neu neue neuen neuer neues neueste neuesten | alt alte alten alter altes älteste ältesten
öffentlich öffentliche öffentlichen öffentlicher | privat private privaten privater
möglich mögliche möglichen | unmöglich unmögliche unmöglichen
über oberhalb obere oberen | unter unterhalb untere unteren
steigt stieg gestiegen steigen erhöht erhöhen zunahme wächst wuchs gewachsen | sinkt sank gesunken sinken verringert verringern abnahme fällt fiel gefallen
erlaubt erlauben zulässig gestattet | verboten verbieten unzulässig untersagt
gewonnen gewann gewinn gewinne | verloren verlor verlust verluste
immer stets | nie niemals selten manchmal
stark starke starken stärker | schwach schwache schwachen schwächer
mit | ohne
für | gegen
innen innere inneren innerhalb intern interne | außen äußere äußeren außerhalb extern externe
beginn beginnt begann begonnen anfang | ende endet endete beendet schluss
gut gute guten besser beste besten | schlecht schlechte schlechten schlechter schlimmste
mann männer männlich männliche männlichen er sein | frau frauen weiblich weibliche weiblichen sie ihr
maximal maximum höchstens | minimal minimum mindestens
positiv positive positiven | negativ negative negativen
links linke linken | rechts rechte rechten
einschließlich inklusive | ausschließlich exklusive ohne
täglich | wöchentlich monatlich jährlich
wöchentlich | monatlich jährlich
monatlich | jährlich
más mayoría | menos minoría
mayor mayores grande grandes gran largo larga | menor menores pequeño pequeña pequeños pequeñas corto corta
alto alta altos altas superior superiores máximo máxima | bajo baja bajos bajas inferior inferiores mínimo mínima
primer primero primera primeros primeras | último última últimos últimas
antes anterior previo previa | después posterior tras luego
norte septentrional | sur meridional
este oriental oriente | oeste occidental occidente
nuevo nueva nuevos nuevas moderno moderna | antiguo antigua antiguos antiguas viejo vieja
público pública públicos públicas | privado privada privados privadas
posible posibles | imposible imposibles
sobre encima arriba | bajo debajo abajo
siempre | nunca jamás
aumento aumenta aumentó aumentar sube subió crece creció | disminución disminuye disminuyó disminuir baja bajó cae cayó reducción
permite permitido permitida permitir | prohíbe prohibido prohibida prohibir
con | sin
dentro interno interna interior | fuera externo externa exterior
comienza comenzó inicio empieza empezó | termina terminó fin final acaba acabó
hombre hombres masculino masculina él | mujer mujeres femenino femenina ella
fuerte fuertes | débil débiles
izquierda izquierdo | derecha derecho
incluye incluido incluida incluir | excluye excluido excluida excluir
mejor mejores bueno buena | peor peores malo mala
plus | moins
grand grande grands grandes long longue haut haute hauts hautes élevé élevée | petit petite petits petites court courte bas basse basses faible faibles
premier première premiers premières | dernier dernière derniers dernières
avant précédent auparavant | après suivant ensuite
nord septentrional | sud méridional
est oriental orient | ouest occidental occident
nouveau nouvelle nouveaux nouvelles | ancien ancienne anciens anciennes vieux vieille
public publique publics publiques | privé privée privés privées
possible possibles | impossible impossibles
dessus sur | dessous sous
toujours | jamais rarement
augmente augmenté augmentation augmenter hausse monte | diminue diminué diminution diminuer baisse réduit réduction
autorise autorisé autorisée permis permet | interdit interdite interdire défendu
avec | sans
intérieur interne dedans | extérieur externe dehors
commence commencé début | finit fini fin termine terminé
homme hommes masculin il | femme femmes féminin elle
fort forte forts fortes | faible faibles
gauche | droite droit
inclus incluse comprend compris | exclu exclue
meilleur meilleure bon bonne | pire mauvais mauvaise
pour | contre
больше более наибольший крупнейший крупнейшая крупнейшие большой большая большие крупный | меньше менее наименьший мельчайший мельчайшая мельчайшие маленький маленькая малый мелкий
первый первая первое первые первого | последний последняя последнее последние последнего
высокий высокая высокие высокого выше верхний | низкий низкая низкие низкого ниже нижний
север северный северная северной северо | юг южный южная южной юго
восток восточный восточная восточной | запад западный западная западной
до раньше перед прежде ранний | после позже затем поздний
новый новая новое новые нового | старый старая старое старые старого древний
может могут можно возможно | неможет невозможно нельзя
увеличение увеличился увеличилась увеличивается рост вырос растет | уменьшение уменьшился уменьшилась уменьшается снижение снизился упал
разрешено разрешен разрешается | запрещено запрещен запрещается
всегда | никогда редко
внутренний внутренняя внутри | внешний внешняя снаружи
начало начался началась началось | конец закончился закончилась закончилось
мужской мужчина мужчины мужчин | женский женщина женщины женщин
сильный сильная | слабый слабая
с | без
выиграл выиграла победа | проиграл проиграла поражение
أكثر أكبر أعلى | أقل أصغر أدنى
قبل | بعد
شمال الشمال شمالي الشمالية | جنوب الجنوب جنوبي الجنوبية
شرق الشرق شرقي الشرقية | غرب الغرب غربي الغربية
أول الأول الأولى | آخر الأخير الأخيرة
جديد جديدة الجديد الجديدة | قديم قديمة القديم القديمة
كبير كبيرة الكبير الكبيرة | صغير صغيرة الصغير الصغيرة
زيادة زاد ارتفاع ارتفع | نقص انخفاض انخفض
مسموح يسمح | ممنوع محظور يحظر
داخل | خارج
فوق | تحت
مع | بدون
रात | दिन
अधिक ज़्यादा बड़ा बड़ी बड़े ऊपर | कम छोटा छोटी छोटे नीचे
पहले पहला पहली | बाद अंतिम आखिरी
उत्तर उत्तरी | दक्षिण दक्षिणी
पूर्व पूर्वी | पश्चिम पश्चिमी
नया नई नए | पुराना पुरानी पुराने
अंदर भीतर | बाहर
हमेशा | कभी
सार्वजनिक | निजी
वृद्धि बढ़ा बढ़ी | कमी घटा घटी
"""

# For scripts without blanks: what stands on one side and not on the other says the opposite.
UNSPACED_NEGATIONS = frozenset("不没沒無无非未莫别別勿否") | {
    "ない", "なく", "なか", "ず", "ません", "ぬ", "まい", "なし", "禁", "ไม่", "มิ", "ห้าม", "ปราศ", "ไร้",
}  # fmt: skip
UNSPACED_OPPOSITES = tuple(
    "大小 多少 高低 前后 前後 東西 东西 南北 北南 上下 左右 内外 新旧 新舊 古新 早晚 早遅 强弱 強弱 增减 增減 升降 开关 開閉 公私 男女 "
    "始终 先后 先後 最初 長短 长短 进出 進出 入出 买卖 買売 胜败 勝敗 勝負 冷热 冷熱 快慢 深浅 正负 正負 可否 日月 月日 天周 周年 月年 日年 天年 週月 "
    "以前以后 以上以下 以前以降 許可禁止 允许禁止 増加減少 增加减少".split()
)
UNSPACED_FACTS = frozenset("一二三四五六七八九十百千万萬億亿兆零〇半倍両两全各毎每只僅仅唯最須须必")

NEGATIVE_PREFIXES = (
    "un", "in", "im", "il", "ir", "non", "dis", "mis", "anti", "de", "nicht", "miss", "ent", "des", "dés", "mé", "an", "a",
    "не", "без", "бес", "анти", "нев", "अ", "अन", "ना", "बे", "गैर", "ग़ैर", "निर", "غير", "لا", "اللا",
)  # fmt: skip
PREFIX_BEFORE_HYPHEN = frozenset(
    "non un in im il ir dis mis anti de ex pre post sub super over under semi pseudo quasi counter co re self half nicht "
    "não no sin in pas не без анти غير".split()
)
"""Before a hyphen these belong to the word behind it: a quote may not start in the middle of non-refundable."""

_NEGATING = ("less", "los", "frei")
_MOST_PAIRS = 64
"""Longer blocks of changed words are no exchange of one word for another."""
_NEGATIVE_ENDINGS = (("less", "ful"), ("less", ""), ("los", ""), ("frei", ""), ("los", "voll"))


_COMMON = frozenset(
    """
    a an the this that these those there here it its they their them he his him she her we our us you your i my me who which what when
    where why how if although though while because since as at by for from in into of on to with within without under over during
    after before until and or but so then thus also however please each every all any some many most several few no not only both
    either neither one two three first second last next other another such same
    account accounts article articles author authors applicant applicants agent agents access action actions address addresses
    bag bags bank banks bill bills book books booking bookings box branch business businesses buyer buyers
    card cards case cases change changes charge charges child children claim claims class classes client clients code codes company
    companies complaint complaints condition conditions contract contracts copy copies cost costs country countries course courses
    customer customers data date dates deadline delivery deliveries deposit deposits department details device devices discount
    discounts document documents driver drivers employee employees employer employers entry equipment error errors event events
    exchange exchanges expense expenses fee fees file files firm firms food form forms goods group groups guest guests guide
    help holiday holidays home homes hotel hotels hour hours house information insurance invoice invoices issue issues item items
    job jobs key keys law laws letter letters library limit limits list loan loans location locations machine machines mail manager
    managers material materials meal meals member members membership message messages method methods money name names network notice
    number numbers office offices officer officers option options order orders owner owners package packages page pages parcel parcels
    parent parents part parts passenger passengers patient patients pay payment payments people period permission person persons
    personnel phone plan plans point points policy policies power price prices problem problems process product products profit
    program programs programme programmes project projects property provider providers purchase purchases question questions rate
    rates reader readers receipt receipts record records refund refunds repair repairs report reports request requests research
    researcher researchers result results return returns right rights room rooms rule rules sale sales school schools scientist
    scientists seat seats section seller sellers service services session shipment shipments shipping shoe shoes shop shops shopper
    shoppers site software staff state statement statements step steps storage store stores student students study studies
    subscriber subscribers subscription subscriptions supplier suppliers support system systems table tax taxes teacher teachers team
    teams technician tenant tenants term terms test tests text ticket tickets time tool tools traveller travellers traveler travelers
    update updates use user users value vehicle vehicles version visitor visitors warranty water week weeks word words work worker
    workers year years
    ask call check choose click close contact enter keep make open press pull push put read remove replace select send set start stop
    take turn write yes
    der die das ein eine einen im in am an auf aus bei mit nach von vor zu und oder aber wenn als es er sie wir ihr ihre unser unsere
    alle jede jeder kunde kunden mitglieder nutzer gäste personen produkte waren artikel preise gebühren
    el la los las un una en de del al con por para y o si cuando como su sus este esta todos cada los clientes usuarios miembros
    le la les l un une des en de du au aux avec par pour et ou si quand comme il elle ils elles ce cette ces tous chaque clients
    в на по с к и а но или если когда как он она оно они это все каждый для от до из у за о об
    """.split()
)
"""Words that open sentences in plain prose; beside a capital at the start of a sentence they tell a noun from a name."""


def is_common(word: str) -> bool:
    """Whether a folded word is in common use, so that its capital at the start of a sentence says nothing.

    >>> is_common("customers"), is_common("microsoft")
    (True, False)
    """
    return word in _COMMON


def _folded(words: str) -> list[str]:
    # What ``normalize.fold`` makes of these words, without its table: they hold no marks that compose.
    return unicodedata.normalize("NFKC", words.casefold()).split()


@cache
def _kinds() -> dict[str, tuple[tuple[str, int], ...]]:
    table: dict[str, list[tuple[str, int]]] = {}
    for kind, groups in _WORDS.items():
        for number, group in enumerate(groups):
            for word in _folded(group):
                entry = (kind, number)
                if entry not in table.setdefault(word, []):
                    table[word].append(entry)
    return {word: tuple(entries) for word, entries in table.items()}


@cache
def _poles() -> dict[str, frozenset[tuple[int, int]]]:
    table: dict[str, set[tuple[int, int]]] = {}
    for axis, line in enumerate(_OPPOSITES.strip().splitlines()):
        for pole, side in enumerate(line.split("|")):
            for word in _folded(side):
                table.setdefault(word, set()).add((axis, pole))
    return {word: frozenset(places) for word, places in table.items()}


def fact_words() -> KeysView[str]:
    """Every word that carries a kind of fact."""
    return _kinds().keys()


def kinds_of(word: str) -> tuple[tuple[str, int], ...]:
    """The kinds of fact a folded word carries, each with its group; empty for an ordinary word.

    >>> [kind for kind, _ in kinds_of("never")], kinds_of("table")
    (['negation'], ())
    """
    return _kinds().get(word, ())


def are_opposites(a: str, b: str) -> bool:
    """Whether two words stand at the two ends of one scale, or one negates the other.

    >>> (
    ...     are_opposites("accepted", "rejected"),
    ...     are_opposites("refundable", "nonrefundable"),
    ...     are_opposites("a", "b"),
    ... )
    (True, True, False)
    """
    a, b = a.casefold(), b.casefold()
    poles = _poles()
    ours, theirs = poles.get(a), poles.get(b)
    if ours and theirs and any((axis, 1 - pole) in theirs for axis, pole in ours):
        return True
    return is_negated(a, b) or is_negated(b, a)


def turned(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """``negation`` or ``opposite`` when a word of one list turns one of the other round; else empty.

    >>> turned(["is", "accepted"], ["is", "rejected"]), turned(["unlawful"], ["lawful"]), turned(["a"], ["b"])
    ('opposite', 'negation', '')
    """
    if len(ours) * len(theirs) <= _MOST_PAIRS:
        for one in ours:
            for two in theirs:
                if is_negated(one, two) or is_negated(two, one):
                    return "negation"
    poles = _poles()
    if poles.keys().isdisjoint(ours) or poles.keys().isdisjoint(theirs):
        return ""
    places = {place for word in theirs for place in poles.get(word, ())}
    if places and any((axis, 1 - pole) in places for word in ours for axis, pole in poles.get(word, ())):
        return "opposite"
    return ""


def is_negated(word: str, of: str) -> bool:
    """Whether ``word`` is ``of`` with a negating prefix or ending.

    >>> is_negated("unavailable", "available"), is_negated("useless", "useful"), is_negated("indeed", "deed")
    (True, True, True)
    """
    cut = len(word) - len(of)
    if cut > 0 and len(of) >= 3 and word.endswith(of):
        return word[:cut] in NEGATIVE_PREFIXES
    if not word.endswith(_NEGATING):
        return False
    return any(
        word.endswith(ending) and len(word) - len(ending) >= 3 and of == word[: -len(ending)] + other
        for ending, other in _NEGATIVE_ENDINGS
    )
